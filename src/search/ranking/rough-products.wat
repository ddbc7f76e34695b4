;; Products of one vector with rows of bytes; rough-products.ts describes the memory layout.
(module
  (memory (export "memory") 2)

  ;; out[r] = sum over k of value[k] * row[r][k]. Values are numbers of 16 bits; $depth is a multiple of 16.
  (func (export "multiply")
    (param $values i32) (param $depth i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $at i32) (local $end i32) (local $even v128) (local $odd v128)
    (loop $next_row
      (local.set $even (v128.const i32x4 0 0 0 0))
      (local.set $odd (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $values))
      (local.set $end (i32.add (local.get $values) (i32.shl (local.get $depth) (i32.const 1))))
      (loop $next_depth
        (local.set $even (i32x4.add (local.get $even)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $rows)) (v128.load (local.get $at)))))
        (local.set $odd (i32x4.add (local.get $odd)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $rows)) (v128.load offset=16 (local.get $at)))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $next_depth (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
      (i32.store (local.get $out)
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
          (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $next_row (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))

  ;; out[r] = sum over k of value[k] * row[r][k], of the rows at the addresses; the other parameters are those of $multiply.
  (func (export "multiplyAt")
    (param $values i32) (param $depth i32) (param $addresses i32) (param $count i32) (param $out i32)
    (local $row i32) (local $at i32) (local $end i32) (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $values) (i32.shl (local.get $depth) (i32.const 1))))
    (loop $next_row
      (local.set $even (v128.const i32x4 0 0 0 0))
      (local.set $odd (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $values))
      (local.set $row (i32.load (local.get $addresses)))
      (loop $next_depth
        (local.set $even (i32x4.add (local.get $even)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $at)))))
        (local.set $odd (i32x4.add (local.get $odd)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $at)))))
        (local.set $row (i32.add (local.get $row) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $next_depth (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
      (i32.store (local.get $out)
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
          (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $addresses (i32.add (local.get $addresses) (i32.const 4)))
      (br_if $next_row (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))

  ;; The same as $multiplyAt, four rows at a time, whose loads do not wait for one another: faster where rows are far apart.
  ;; Addresses and products have room for a multiple of 4, and surplus addresses are valid ones.
  (func (export "multiplyApart")
    (param $values i32) (param $depth i32) (param $addresses i32) (param $count i32) (param $out i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $at i32) (local $end i32)
    (local $sum_a v128) (local $sum_b v128) (local $sum_c v128) (local $sum_d v128) (local $value v128)
    (local.set $end (i32.add (local.get $values) (i32.shl (local.get $depth) (i32.const 1))))
    (loop $next_rows
      (local.set $sum_a (v128.const i32x4 0 0 0 0))
      (local.set $sum_b (v128.const i32x4 0 0 0 0))
      (local.set $sum_c (v128.const i32x4 0 0 0 0))
      (local.set $sum_d (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $values))
      (local.set $a (i32.load (local.get $addresses)))
      (local.set $b (i32.load offset=4 (local.get $addresses)))
      (local.set $c (i32.load offset=8 (local.get $addresses)))
      (local.set $d (i32.load offset=12 (local.get $addresses)))
      (loop $next_depth
        (local.set $value (v128.load (local.get $at)))
        (local.set $sum_a (i32x4.add (local.get $sum_a)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $a)) (local.get $value))))
        (local.set $sum_b (i32x4.add (local.get $sum_b)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $b)) (local.get $value))))
        (local.set $sum_c (i32x4.add (local.get $sum_c)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c)) (local.get $value))))
        (local.set $sum_d (i32x4.add (local.get $sum_d)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $d)) (local.get $value))))
        (local.set $value (v128.load offset=16 (local.get $at)))
        (local.set $sum_a (i32x4.add (local.get $sum_a)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $a)) (local.get $value))))
        (local.set $sum_b (i32x4.add (local.get $sum_b)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $b)) (local.get $value))))
        (local.set $sum_c (i32x4.add (local.get $sum_c)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c)) (local.get $value))))
        (local.set $sum_d (i32x4.add (local.get $sum_d)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $d)) (local.get $value))))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (local.set $c (i32.add (local.get $c) (i32.const 16)))
        (local.set $d (i32.add (local.get $d) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $next_depth (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $sum_a (i32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum_a) (local.get $sum_b))
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum_a) (local.get $sum_b))))
      (local.set $sum_c (i32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum_c) (local.get $sum_d))
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum_c) (local.get $sum_d))))
      (v128.store (local.get $out) (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sum_a) (local.get $sum_c))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sum_a) (local.get $sum_c))))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (local.set $addresses (i32.add (local.get $addresses) (i32.const 16)))
      (br_if $next_rows (i32.gt_s (local.tee $count (i32.sub (local.get $count) (i32.const 4))) (i32.const 0)))))

  ;; out[r] = number of bits of row r that differ from those of the question: both are of 512 bits.
  (func (export "differing")
    (param $asked i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $sum v128)
    (local.set $a (v128.load (local.get $asked)))
    (local.set $b (v128.load offset=16 (local.get $asked)))
    (local.set $c (v128.load offset=32 (local.get $asked)))
    (local.set $d (v128.load offset=48 (local.get $asked)))
    (loop $next_row
      (local.set $sum (i8x16.add
        (i8x16.add
          (i8x16.popcnt (v128.xor (local.get $a) (v128.load (local.get $rows))))
          (i8x16.popcnt (v128.xor (local.get $b) (v128.load offset=16 (local.get $rows)))))
        (i8x16.add
          (i8x16.popcnt (v128.xor (local.get $c) (v128.load offset=32 (local.get $rows))))
          (i8x16.popcnt (v128.xor (local.get $d) (v128.load offset=48 (local.get $rows)))))))
      (local.set $sum (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $sum))))
      (i32.store16 (local.get $out)
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
      (local.set $rows (i32.add (local.get $rows) (i32.const 64)))
      (local.set $out (i32.add (local.get $out) (i32.const 2)))
      (br_if $next_row (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))
