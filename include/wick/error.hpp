// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/error.hpp
/// The one exception type of the frontend.
#ifndef WICK_ERROR_HPP
#define WICK_ERROR_HPP

#include "TH/status.h"
#include <exception>
#include <memory>
#include <string>
#include <vector>

#define WICK_API __attribute__((visibility("default")))

namespace wick {

/// A failure: a status of TH/status.def and a text "<function>: got ..., want ...".
class WICK_API Error : public std::exception {
  public:
    Error(THStatus status, std::string message);
    /// The same with a kind of the caller's choosing ("python.ValueError").
    Error(THStatus status, std::string kind, std::string message);

    const char *what() const noexcept override { return message_.c_str(); }
    THStatus status() const noexcept { return status_; }
    const std::string &kind() const noexcept { return kind_; }
    const std::string &message() const noexcept { return message_; }

    /// Where it passed, innermost first: what ran ("backward of mul"), or a source place.
    struct Frame {
        std::string where, what;
        uint32_t line = 0;
    };
    const std::vector<Frame> &frames() const noexcept { return frames_; }
    void push_frame(Frame frame) { frames_.push_back(std::move(frame)); }

    /// A host language's own exception object, carried along (wick_error_set_foreign).
    struct Foreign {
        std::string runtime;
        std::shared_ptr<void> payload;
    };
    Foreign foreign;

  private:
    THStatus status_;
    std::string kind_, message_;
    std::vector<Frame> frames_;
};

/// Throws Error with the calling thread's TH message unless status is TH_OK.
WICK_API void throw_status [[noreturn]] (THStatus status);
inline void check(THStatus status) {
    if (status != TH_OK) [[unlikely]]
        throw_status(status);
}

} // namespace wick
#endif
