// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn.hpp
/// Neural-network modules. Includes every header of wick/nn.
#ifndef WICK_NN_HPP
#define WICK_NN_HPP

#include "wick/nn/activation.hpp"
#include "wick/nn/clip_grad.hpp"
#include "wick/nn/container.hpp"
#include "wick/nn/conv.hpp"
#include "wick/nn/dropout.hpp"
#include "wick/nn/init.hpp"
#include "wick/nn/linear.hpp"
#include "wick/nn/loss.hpp"
#include "wick/nn/module.hpp"
#include "wick/nn/norm.hpp"
#include "wick/nn/pool.hpp"
#include "wick/nn/shape.hpp"

#endif
