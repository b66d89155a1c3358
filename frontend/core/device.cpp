// SPDX-License-Identifier: BSD-3-Clause
#include "core/device.hpp"
#include "core/call.hpp"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace wick {

namespace {
constexpr std::pair<std::string_view, const char *> LIBRARIES[] = {
#define WICK_DEVICE_LIBRARY(type, file) {#type, file},
#include "core/devices.def"
#undef WICK_DEVICE_LIBRARY
};

std::mutex loading;                            // guards what follows
std::map<std::string, std::string> &chosen() { // by set_device_library; never destroyed
    static auto *map = new std::map<std::string, std::string>;
    return *map;
}
std::map<std::string, void *> &loaded() {
    static auto *map = new std::map<std::string, void *>;
    return *map;
}

/// WICK_DEVICE_CUDA
std::string variable_of(std::string_view type) {
    std::string name = "WICK_DEVICE_";
    for (char c : type) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

bool is_registered(const std::string &type) {
    for (int32_t t = 1; t < TH_DEVICE_TYPES; t++)
        if (const THDeviceLibrary *l = TH_device_library(t); l && type == l->name) return true;
    return false;
}

/// Empty if nobody said where it is.
std::string file_of(const std::string &type) {
    if (auto at = chosen().find(type); at != chosen().end()) return at->second;
    if (const char *path = std::getenv(variable_of(type).c_str())) return path;
    auto row = std::ranges::find(LIBRARIES, type, [](const auto &r) { return r.first; });
    return row == std::end(LIBRARIES) ? "" : row->second;
}

/// The library's handle. It stays loaded.
void *load(const std::string &type) {
    std::lock_guard lock(loading);
    if (auto at = loaded().find(type); at != loaded().end()) return at->second;
    std::string file = file_of(type);
    if (file.empty())
        fail(is_registered(type) ? TH_E_UNSUPPORTED : TH_E_NOTFOUND,
             "Device: got type '%.60s', want 'cpu' or one whose library is known (%s names it)", type.c_str(),
             variable_of(type).c_str());
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        fail(TH_E_UNSUPPORTED, "Device: got '%.60s', but its library does not load (%s names it): %.700s", type.c_str(),
             variable_of(type).c_str(), dlerror());
    auto open = reinterpret_cast<THDeviceOpen>(dlsym(handle, "TH_device_open"));
    if (!open)
        fail(TH_E_ABI, "Device: got %.300s for '%.60s', want a library with a function TH_device_open", file.c_str(),
             type.c_str());
    check(open());
    if (!is_registered(type))
        fail(TH_E_ABI, "Device: got %.300s for '%.60s', but it registers no such type", file.c_str(), type.c_str());
    return loaded()[type] = handle;
}
} // namespace

Device::Device(std::string_view name) {
    std::string text(name), type = text.substr(0, text.find(':'));
    bool plain = !type.empty() && type.size() < 32 && std::ranges::all_of(type, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!plain) fail(TH_E_ARG, "Device: got '%.60s', want a name such as 'cpu' or 'cuda:0'", text.c_str());
    if (type != "cpu") load(type);
    check(TH_device_find(&code, text.c_str()));
}

std::string Device::name() const {
    char text[64];
    TH_device_describe(code, text, sizeof text);
    return text;
}

void set_device_library(std::string_view type, std::string path) {
    std::lock_guard lock(loading);
    std::string name(type);
    if (loaded().count(name))
        fail(TH_E_ARG, "set_device_library: got '%.60s', whose library is loaded, want it before that", name.c_str());
    chosen()[name] = std::move(path);
}

bool device_is_available(std::string_view name) noexcept {
    try {
        Device device(name);
        return true;
    } catch (...) {
        return false;
    }
}

void synchronize(Device device) { check(TH_device_synchronize(device.code)); }

namespace detail {

namespace {
/// "FAKE_add" for "TH_add"; empty if the device's library has none of that kind.
std::string twin_name(const THDeviceLibrary &library, std::string_view name) {
    size_t end = name.find('_');
    const char *prefix = name.substr(0, end) == "TH" ? library.prefix : library.nn_prefix;
    return prefix ? prefix + std::string(name.substr(end)) : "";
}
} // namespace

void *find_twin(std::atomic<const Twin *> &found, std::string_view name, Device device) {
    auto place = static_cast<uint8_t>(device.type());
    const Twin *first = found.load(std::memory_order_acquire);
    for (const Twin *t = first; t; t = t->next)
        if (t->place == place) return t->fn;
    const THDeviceLibrary *library = TH_device_library(place);
    if (!library)
        fail(TH_E_DEVICE, "%.*s: got tensors on %s, want a device whose library is there",
             static_cast<int>(name.size()), name.data(), device.name().c_str());
    std::string twin = twin_name(*library, name);
    void *fn = twin.empty() ? nullptr : dlsym(load(library->name), twin.c_str());
    if (!fn)
        fail(TH_E_UNSUPPORTED, "%.*s: got tensors on %s, whose library has no %s", static_cast<int>(name.size()),
             name.data(), device.name().c_str(), twin.empty() ? "such functions" : twin.c_str());
    auto *entry = new Twin{place, fn, first};
    while (!found.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel)) {
    }
    return fn;
}

void *find_twin(std::atomic<const Twin *> &found, std::string_view name, std::span<const TensorImpl *const> tensors) {
    return find_twin(found, name, common_device(name, tensors));
}

Device common_device(std::string_view fn, std::span<const TensorImpl *const> tensors) {
    const TensorImpl *first = nullptr; // of those that decide
    for (const TensorImpl *t : tensors) {
        if (!t || (t->place == 0 && THTensor_ndim(t->th) == 0)) continue;
        if (!first) first = t;
        if (THTensor_device(t->th) == THTensor_device(first->th)) continue;
        char a[200], b[200];
        THTensor_describe(first->th, a, sizeof a), THTensor_describe(t->th, b, sizeof b);
        fail(TH_E_DEVICE, "%.*s: got %s%s and %s%s, want tensors on one device", static_cast<int>(fn.size()), fn.data(),
             a, first->place ? "" : " on cpu", b, t->place ? "" : " on cpu");
    }
    return first ? Device(THTensor_device(first->th)) : Device();
}

Selected::Selected(Device device) : device_(device.code) { check(TH_device_select(device_, &previous_)); }
Selected::~Selected() {
    if (previous_ != device_) TH_device_select(previous_, nullptr);
}

} // namespace detail
} // namespace wick
