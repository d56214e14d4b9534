// A layer as exporters of Llama write it, in small.
#pragma once

#include <string_view>

namespace foreflow::test {

// Llama: grouped queries, rotary positions written out, no biases, a gated MLP, RMS normalization written out, weights
// stored [out, in].
inline constexpr std::string_view kLlama = R"(
func @f(weight %a: Tensor[Float32, (16, 8)], weight %e: Tensor[Float32, (8, 8)], weight %b: Tensor[Float32, (4, 8)],
        weight %c: Tensor[Float32, (4, 8)], weight %d: Tensor[Float32, (8, 8)], weight %g: Tensor[Float32, (12, 8)],
        weight %h: Tensor[Float32, (12, 8)], weight %i: Tensor[Float32, (8, 12)], weight %j: Tensor[Float32, (8,)],
        weight %z: Tensor[Float32, (16, 8)], weight %cos: Tensor[Float32, (4, 2)], %ids: Tensor[Int64, (4, 4)]) {
  %x = Gather[axis = 0](%a, %ids)
  %two = Constant[value = Float32()[2]]()
  %p = Pow(%x, %two)
  %m = ReduceMean[axes = [-1], keepdims = 1](%p)
  %r = Sqrt(%m)
  %n0 = Div(%x, %r)
  %n = Mul(%n0, %j)
  %et = Transpose[perm = [1, 0]](%e)
  %bt = Transpose[perm = [1, 0]](%b)
  %ct = Transpose[perm = [1, 0]](%c)
  %dt = Transpose[perm = [1, 0]](%d)
  %q0 = MatMul(%n, %et)
  %k0 = MatMul(%n, %bt)
  %v0 = MatMul(%n, %ct)
  %q1 = Reshape[shape = [0, 4, 4, 2]](%q0)
  %k1 = Reshape[shape = [0, 4, 2, 2]](%k0)
  %v1 = Reshape[shape = [0, 4, 2, 2]](%v0)
  %q2 = Transpose[perm = [0, 2, 1, 3]](%q1)
  %k2 = Transpose[perm = [0, 2, 1, 3]](%k1)
  %v2 = Transpose[perm = [0, 2, 1, 3]](%v1)
  %q3 = Mul(%q2, %cos)
  %q4, %q5 = Split[axis = 3, num_outputs = 2](%q2)
  %q6 = Neg(%q5)
  %q7 = Concat[axis = 3](%q6, %q4)
  %q8 = Mul(%q7, %cos)
  %q = Add(%q3, %q8)
  %k3 = Unsqueeze[axes = [2]](%k2)
  %k4 = Expand[shape = [1, 1, 2, 1, 1]](%k3)
  %k5 = Reshape[shape = [0, 4, 4, 2]](%k4)
  %k = Transpose[perm = [0, 1, 3, 2]](%k5)
  %v3 = Unsqueeze[axes = [2]](%v2)
  %v4 = Expand[shape = [1, 1, 2, 1, 1]](%v3)
  %v = Reshape[shape = [0, 4, 4, 2]](%v4)
  %s = MatMul(%q, %k)
  %w = Softmax[axis = -1](%s)
  %o0 = MatMul(%w, %v)
  %o1 = Transpose[perm = [0, 2, 1, 3]](%o0)
  %o2 = Reshape[shape = [0, 4, 8]](%o1)
  %o = MatMul(%o2, %dt)
  %y = Add(%x, %o)
  %yn = LayerNormalization[axis = -1](%y, %j)
  %gt = Transpose[perm = [1, 0]](%g)
  %ht = Transpose[perm = [1, 0]](%h)
  %it = Transpose[perm = [1, 0]](%i)
  %u = MatMul(%yn, %gt)
  %t = MatMul(%yn, %ht)
  %us = Sigmoid(%u)
  %ua = Mul(%u, %us)
  %ut = Mul(%ua, %t)
  %down = MatMul(%ut, %it)
  %out = Add(%y, %down)
  %on = LayerNormalization[axis = -1](%out, %j)
  %zt = Transpose[perm = [1, 0]](%z)
  %logits = MatMul(%on, %zt)
  return %logits
})";

}  // namespace foreflow::test
