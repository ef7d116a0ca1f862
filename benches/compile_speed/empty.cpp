// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built twice, once linked against the library: what does a library cost that is not used?
int main() {}
