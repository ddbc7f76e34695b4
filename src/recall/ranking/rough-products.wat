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
      (br_if $next_row (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))
