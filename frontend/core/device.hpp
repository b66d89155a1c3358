// SPDX-License-Identifier: BSD-3-Clause
// How call<> finds the function of a device that does what TH's or THNN's does: by its name, in the device's library.
#ifndef WICK_CORE_DEVICE_HPP
#define WICK_CORE_DEVICE_HPP

#include "wick/tensor.hpp"

namespace wick::detail {

/// The name of a function that is a template argument: "TH_add".
template <auto Fn> constexpr std::string_view function_name() {
    std::string_view text = __PRETTY_FUNCTION__; // "... [with auto Fn = TH_add; ...]", "... [Fn = &TH_add]"
    text.remove_prefix(text.find("Fn = ") + 5);
    while (text.front() == '&' || text.front() == '(') text.remove_prefix(1);
    return text.substr(0, text.find_first_of(";])"));
}

/// Functions that serve every device by themselves.
constexpr bool is_structural(std::string_view name) { return name.starts_with("THTensor_"); }

/// A device's function, once found; kept until the process ends.
struct Twin {
    uint8_t place;
    void *fn;
    const Twin *next;
};

/// The twins of Fn found so far. The symbols of these variables list every function that is dispatched: tools/twins
/// reads them from the library.
template <auto Fn> inline std::atomic<const Twin *> twins{nullptr};

/// The function of `device` that does what `name` does. UnsupportedError if its library has none.
WICK_API void *find_twin(std::atomic<const Twin *> &found, std::string_view name, Device device);

/// The one device of some tensors (null ones do not count). Numbers and other 0-dim tensors of the CPU go with any;
/// DeviceError if the rest are not together.
WICK_API Device common_device(std::string_view fn, std::span<const TensorImpl *const> tensors);

/// The same for the device of some tensors.
WICK_API void *find_twin(std::atomic<const Twin *> &found, std::string_view name,
                         std::span<const TensorImpl *const> tensors);

/// Makes a device the calling thread's current one for a scope.
class WICK_API Selected {
  public:
    explicit Selected(Device device);
    ~Selected();
    Selected(const Selected &) = delete;
    Selected &operator=(const Selected &) = delete;

  private:
    THDevice device_, previous_;
};

} // namespace wick::detail
#endif
