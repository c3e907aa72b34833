// Settings of the sanitizers for every test that is linked with them.
extern "C" {
const char* __asan_default_options() { return "detect_stack_use_after_return=1"; }
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
}
