// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/optim.hpp
/// Optimizers. Includes every header of wick/optim.
#ifndef WICK_OPTIM_HPP
#define WICK_OPTIM_HPP

#include "wick/optim/adam.hpp"
#include "wick/optim/optimizer.hpp"
#include "wick/optim/sgd.hpp"

#endif
