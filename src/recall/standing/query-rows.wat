;; The inner loop of query-rows.ts, which tells how rows lie in memory.
(module
  (memory (export "memory") 1 65536)

  ;; Looks through one block of groups of eight rows and writes the numbers of the rows that a memory may be near to, counted
  ;; from the beginning of the block, to $found; gives how many. A row is out as soon as what it has reached and the most that
  ;; the dimensions left can add are below what it asks for.
  (func (export "scan")
    (param $group i32) (param $groups i32) (param $stages i32)
    ;; The memory: 64 dimensions of 16 bits for each stage, and the length of the dimensions after each stage.
    (param $memory i32) (param $lengths i32)
    ;; What turns products of whole numbers into what rows ask for in, and what rounding can have taken from them.
    (param $scale f32) (param $slack f32)
    (param $found i32)
    (result i32)
    (local $first i32) (local $row i32) (local $stride i32) (local $count i32) (local $mask i32) (local $lane i32)
    (local $at i32) (local $end i32) (local $values i32) (local $length i32)
    (local $low v128) (local $high v128) (local $value v128) (local $is_low v128) (local $is_high v128)
    (local $scales v128) (local $slacks v128) (local $rest v128)
    (local.set $scales (f32x4.splat (local.get $scale)))
    (local.set $slacks (f32x4.splat (local.get $slack)))
    (local.set $stride (i32.add (i32.const 32) (i32.mul (local.get $stages) (i32.const 544))))
    (block $done
      (loop $next_group
        (br_if $done (i32.eqz (local.get $groups)))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.add (local.get $group) (i32.const 32)))
        (local.set $values (local.get $memory))
        (local.set $length (local.get $lengths))
        (local.set $end (i32.add (local.get $group) (local.get $stride)))
        (block $out
          (loop $next_stage
            (local.set $rest (v128.load32_splat (local.get $length)))
            (local.set $length (i32.add (local.get $length) (i32.const 4)))
            ;; 32 pairs of dimensions, four in a round: sixteen bytes are a pair of each of the eight rows.
            (local.set $lane (i32.const 8))
            (loop $next_pairs
              (local.set $value (v128.load32_splat (local.get $values)))
              (local.set $low (i32x4.add (local.get $low)
                (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at)) (local.get $value))))
              (local.set $high (i32x4.add (local.get $high)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at)) (local.get $value))))
              (local.set $value (v128.load32_splat offset=4 (local.get $values)))
              (local.set $low (i32x4.add (local.get $low)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $at)) (local.get $value))))
              (local.set $high (i32x4.add (local.get $high)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $at)) (local.get $value))))
              (local.set $value (v128.load32_splat offset=8 (local.get $values)))
              (local.set $low (i32x4.add (local.get $low)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=32 (local.get $at)) (local.get $value))))
              (local.set $high (i32x4.add (local.get $high)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=40 (local.get $at)) (local.get $value))))
              (local.set $value (v128.load32_splat offset=12 (local.get $values)))
              (local.set $low (i32x4.add (local.get $low)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=48 (local.get $at)) (local.get $value))))
              (local.set $high (i32x4.add (local.get $high)
                (i32x4.dot_i16x8_s (v128.load8x8_s offset=56 (local.get $at)) (local.get $value))))
              (local.set $at (i32.add (local.get $at) (i32.const 64)))
              (local.set $values (i32.add (local.get $values) (i32.const 16)))
              (br_if $next_pairs (local.tee $lane (i32.sub (local.get $lane) (i32.const 1))))
            )
            ;; reached + slack >= asked - rest of the row * rest of the memory
            (local.set $is_low (f32x4.ge
              (f32x4.add (f32x4.mul (f32x4.convert_i32x4_s (local.get $low)) (local.get $scales)) (local.get $slacks))
              (f32x4.sub (v128.load (local.get $group)) (f32x4.mul (v128.load (local.get $at)) (local.get $rest)))))
            (local.set $is_high (f32x4.ge
              (f32x4.add (f32x4.mul (f32x4.convert_i32x4_s (local.get $high)) (local.get $scales)) (local.get $slacks))
              (f32x4.sub (v128.load offset=16 (local.get $group))
                (f32x4.mul (v128.load offset=16 (local.get $at)) (local.get $rest)))))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (br_if $out (i32.eqz (v128.any_true (v128.or (local.get $is_low) (local.get $is_high)))))
            (br_if $next_stage (i32.lt_u (local.get $at) (local.get $end)))
          )
          (local.set $mask (i32.or (i32x4.bitmask (local.get $is_low))
            (i32.shl (i32x4.bitmask (local.get $is_high)) (i32.const 4))))
          (loop $next_row
            (i32.store (i32.add (local.get $found) (i32.shl (local.get $count) (i32.const 2)))
              (i32.add (local.get $first) (i32.ctz (local.get $mask))))
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (br_if $next_row
              (local.tee $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1)))))
          )
        )
        (local.set $first (i32.add (local.get $first) (i32.const 8)))
        (local.set $group (i32.add (local.get $group) (local.get $stride)))
        (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
        (br $next_group)
      )
    )
    (local.get $count)
  )
)
