// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/device.hpp
/// Where tensors live. Naming a type of device for the first time loads its library: the file that set_device_library
/// or the environment variable WICK_DEVICE_<TYPE> names, or the one that frontend/core/devices.def lists.
#ifndef WICK_DEVICE_HPP
#define WICK_DEVICE_HPP

#include "TH/device.h"
#include "wick/error.hpp"
#include "wick/object.hpp"
#include <string>
#include <string_view>

namespace wick {

/// The CPU, or a device that a library serves.
struct WICK_API Device {
    constexpr Device() = default; ///< the CPU
    constexpr Device(THDevice c) : code(c) {}
    /// "cpu", "cuda:1", or "cuda" for the calling thread's current one. NotFoundError for a type that nobody knows,
    /// UnsupportedError if its library does not load, DeviceError if there is no such device.
    Device(std::string_view name);
    Device(const char *name) : Device(std::string_view(name)) {}
    Device(const std::string &name) : Device(std::string_view(name)) {}

    /// DLPack's number of the type minus one; 0 is the CPU.
    constexpr int32_t type() const noexcept { return static_cast<int32_t>(code >> 32); }
    constexpr int32_t index() const noexcept { return static_cast<int32_t>(static_cast<uint32_t>(code)); }
    std::string name() const; ///< "cuda:1"
    friend constexpr bool operator==(Device a, Device b) noexcept { return a.code == b.code; }

    THDevice code = TH_CPU;
};

/// Which file is the library of a type ("cuda"), before it is loaded.
WICK_API void set_device_library(std::string_view type, std::string path);

/// Whether a device of that name can be used; loads its library.
WICK_API bool device_is_available(std::string_view name) noexcept;

/// Waits until all that was begun on the device is done.
WICK_API void synchronize(Device device);

} // namespace wick
#endif
