#include "modules.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

#include "memory.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

// What nvcc's host code hands over; the layout is fixed by the toolkit.
struct FatbinWrapper {
  int magic, version;
  const std::uint8_t* data;
  void* unused;
};
struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version, header_size;
  std::uint64_t size;
};

struct RegisteredVariable {
  Module* module = nullptr;
  std::string name;
};

struct Registry {
  std::vector<std::unique_ptr<Module>> modules;
  std::map<const void*, Kernel> kernels;
  std::map<const void*, RegisteredVariable> variables;
  int highest_target = 0;
};

Registry& registry() {
  static Registry* const the_registry = new Registry;
  return *the_registry;
}

std::uint32_t crc32(const std::uint8_t* data, std::size_t bytes) {
  static const auto table = [] {
    std::vector<std::uint32_t> entries(256);
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xedb88320u ^ value >> 1 : value >> 1;
      entries[i] = value;
    }
    return entries;
  }();
  std::uint32_t crc = ~0u;
  for (std::size_t i = 0; i < bytes; ++i) crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
  return ~crc;
}

// The same name that translate/fatbin.py gives to the translated module.
std::string module_key(const std::uint8_t* fatbin) {
  FatbinHeader header;
  std::memcpy(&header, fatbin, sizeof header);
  const std::uint64_t bytes = header.header_size + header.size;
  char text[48];
  std::snprintf(text, sizeof text, "%08x_%llx", crc32(fatbin, bytes), static_cast<unsigned long long>(bytes));
  return text;
}

const ModuleRecord* load(const std::string& key) {
  std::istringstream directories(settings().module_path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string path = directory + "/" + key + ".so";
    if (FILE* file = std::fopen(path.c_str(), "rb"))
      std::fclose(file);
    else
      continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) defect("the translated module cannot be loaded: %s", dlerror());
    const auto* record = static_cast<const ModuleRecord*>(dlsym(library, "emulator_module"));
    if (!record) defect("%s is not a translated module", path.c_str());
    return record;
  }
  return nullptr;
}

void load_module(Module& module) {
  if (module.record) return;
  module.record = load(module.key);
  if (!module.record) {
    note(
        "the module %s is not translated: run translate/build_modules.py on the program and on its libraries, and "
        "name "
        "the directory in EMULATOR_MODULES (now '%s')",
        module.key.c_str(), settings().module_path.c_str());
    std::exit(2);
  }
  registry().highest_target = std::max(registry().highest_target, module.record->target);
}

void make_variables(Module& module, int device) {
  const ModuleRecord& record = *module.record;
  std::vector<std::uint64_t>& addresses = module.addresses[device];
  const Arena view = device_view(device);
  const auto bytes_of = [&](std::uint64_t address) { return view.kernel_alias + (address - view.base); };
  for (std::uint32_t i = 0; i < record.variable_count; ++i) {
    const VariableRecord& variable = record.variables[i];
    const std::string call = std::string("variable ") + variable.name;
    void* const p = allocate_device({std::max<std::size_t>(variable.size, 1), device, call, true, nullptr, true});
    if (!p) defect("no device memory left for the variable %s", variable.name);
    addresses.push_back(reinterpret_cast<std::uint64_t>(p));
    if (variable.initial)
      std::memcpy(bytes_of(addresses.back()), variable.initial, variable.size);
    else
      std::memset(bytes_of(addresses.back()), 0, variable.size);
  }
  for (std::uint32_t i = 0; i < record.fixup_count; ++i) {
    const AddressFixup& fixup = record.fixups[i];
    const std::uint64_t target = addresses[fixup.target] + fixup.addend;
    std::memcpy(bytes_of(addresses[fixup.variable]) + fixup.offset, &target, sizeof target);
  }
  addresses.push_back(0);  // never empty: made
}

}  // namespace

Module* register_module(const void* wrapper) {
  FatbinWrapper contents;
  std::memcpy(&contents, wrapper, sizeof contents);
  registry().modules.push_back(std::make_unique<Module>());
  Module* const module = registry().modules.back().get();
  module->key = module_key(contents.data);
  return module;
}

void register_kernel(Module* module, const void* host_function, const char* name) {
  registry().kernels[host_function] = {module, nullptr, name, -1};
}

void register_variable(Module* module, const void* host_variable, const char* name) {
  registry().variables[host_variable] = {module, name};
}

void unregister_module(Module* module) {
  for (auto it = registry().kernels.begin(); it != registry().kernels.end();)
    it = it->second.module == module ? registry().kernels.erase(it) : std::next(it);
  for (auto it = registry().variables.begin(); it != registry().variables.end();)
    it = it->second.module == module ? registry().variables.erase(it) : std::next(it);
}

Kernel* find_kernel(const void* host_function) {
  const auto found = registry().kernels.find(host_function);
  if (found == registry().kernels.end()) return nullptr;
  Kernel& kernel = found->second;
  if (kernel.record) return &kernel;
  load_module(*kernel.module);
  const ModuleRecord& record = *kernel.module->record;
  for (std::uint32_t i = 0; i < record.kernel_count; ++i)
    if (kernel.name == record.kernels[i].name) kernel.record = &record.kernels[i];
  return kernel.record ? &kernel : nullptr;
}

VariablePlace find_variable(const void* host_variable, int device) {
  const auto found = registry().variables.find(host_variable);
  if (found == registry().variables.end()) return {};
  Module& module = *found->second.module;
  load_module(module);
  const std::uint64_t* addresses = prepare_module(module, device);
  for (std::uint32_t i = 0; i < module.record->variable_count; ++i)
    if (found->second.name == module.record->variables[i].name)
      return {reinterpret_cast<void*>(addresses[i]), module.record->variables[i].size};
  return {};
}

const std::uint64_t* prepare_module(Module& module, int device) {
  *module.record->arena = device_view(device);
  if (module.addresses[device].empty()) make_variables(module, device);
  return module.addresses[device].data();
}

int compute_capability() {
  if (settings().capability) return settings().capability;
  // All modules that can be loaded count, so that the answer does not change when a kernel is used first.
  for (const auto& module : registry().modules) {
    if (!module->record) module->record = load(module->key);
    if (module->record) registry().highest_target = std::max(registry().highest_target, module->record->target);
  }
  return registry().highest_target ? registry().highest_target : 75;
}

}  // namespace emulator
