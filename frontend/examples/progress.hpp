// SPDX-License-Identifier: BSD-3-Clause
// Progress of a training run: Boost's bar with a live line under it on a terminal; elsewhere one line per epoch.
#ifndef WICK_EXAMPLES_PROGRESS_HPP
#define WICK_EXAMPLES_PROGRESS_HPP

#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#if __has_include(<boost/timer/progress_display.hpp>)
#include <boost/timer/progress_display.hpp>
#define HAVE_PROGRESS_BAR
#endif

class Progress {
  public:
    explicit Progress([[maybe_unused]] unsigned long steps) {
#ifdef HAVE_PROGRESS_BAR
        if (!::isatty(STDOUT_FILENO)) return;
        // Makes room below first, so that the screen does not scroll between saving and restoring the cursor.
        std::cout << "\n\n\n\n\x1b[4A";
        bar_ = std::make_unique<boost::timer::progress_display>(steps, std::cout, "");
#endif
    }

    void step([[maybe_unused]] const std::string &live) {
#ifdef HAVE_PROGRESS_BAR
        if (!bar_) return;
        // The bar ends its line with the last step; until then the live line is one below.
        bool last = bar_->count() + 1 == bar_->expected_count();
        ++*bar_;
        std::cout << (last ? "\x1b[2K"
                           : "\x1b"
                             "7\n\r\x1b[2K")
                  << live
                  << (last ? "\n"
                           : "\x1b"
                             "8")
                  << std::flush;
#endif
    }

    void epoch(const std::string &line) {
#ifdef HAVE_PROGRESS_BAR
        if (bar_) return;
#endif
        std::cout << line << std::endl;
    }

  private:
#ifdef HAVE_PROGRESS_BAR
    std::unique_ptr<boost::timer::progress_display> bar_;
#endif
};

#endif
