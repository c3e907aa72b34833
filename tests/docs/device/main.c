int documented_selector_on_device(void);

int main(void) { return documented_selector_on_device(); }
