/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/THNN.h
 * THNN: CPU neural-network kernels in C99. Includes every public header. */
#ifndef THNN_H
#define THNN_H

#include "THNN/activation.h"
#include "THNN/conv.h"
#include "THNN/dropout.h"
#include "THNN/loss.h"
#include "THNN/norm.h"
#include "THNN/pool.h"
#include "THNN/softmax.h"

#endif
