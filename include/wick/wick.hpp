// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/wick.hpp
/// The whole C++ frontend.
#ifndef WICK_HPP
#define WICK_HPP

#include "wick/autograd.hpp"
#include "wick/data.hpp"
#include "wick/io.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include "wick/registry.hpp"

#endif
