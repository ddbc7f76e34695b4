import { describe, expect, it } from '@jest/globals';
import { downloadBar, progressBar } from '../../src/cli/progress-bar.ts';
import { columnsOf, cut, paint, printable } from '../../src/cli/terminal.ts';

describe('text on a terminal', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['one too many', 11, 'one too ma…'],
    ['two\n  lines', 20, 'two lines'],
    ['漢字漢字漢字', 7, '漢字漢…'],
    ['👩‍👩‍👧 family', 5, '👩‍👩‍👧 f…'],
    ['anything', Number.POSITIVE_INFINITY, 'anything'],
  ])('%j in %s columns › is %j', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
  });

  it('control characters › become visible, so that a memory cannot write to the terminal', () => {
    expect(printable('a\u001b]0;title\u0007b\u009bc\u202ed\r\ne\tf')).toBe(
      'a\ufffd]0;title\ufffdb\ufffdc\ufffdd\ne\tf',
    );
  });

  it('without a terminal › nothing is cut or coloured', () => {
    expect(columnsOf({ isTTY: false, columns: 40 })).toBe(Number.POSITIVE_INFINITY);
    expect(paint('bold', 'x', { isTTY: false, hasColors: () => true })).toBe('x');
  });

  it('on a terminal › colours come unless it has none or NO_COLOR asks for none', () => {
    expect(paint('bold', 'x', { isTTY: true, hasColors: () => true })).toBe('\u001b[1mx\u001b[22m');
    expect(paint('bold', 'x', { isTTY: true, hasColors: () => false })).toBe('x');
    expect(columnsOf({ isTTY: true, columns: 40 })).toBe(40);
  });
});

describe('progress bar', () => {
  function drawn(isTTY: boolean, updates: readonly (readonly [atMs: number, done: number, total?: number])[]) {
    const written: string[] = [];
    let nowMs = 0;
    const bar = progressBar('storing', { isTTY, write: (text) => written.push(text) }, () => nowMs);
    for (const [atMs, done, total] of updates) {
      nowMs = atMs;
      bar.update(done, total);
    }
    bar.stop();
    return written;
  }

  it('where nobody looks › writes nothing', () => {
    expect(drawn(false, [[0, 1, 2]])).toEqual([]);
  });

  it('on a terminal › shows the share, redraws not too often, always shows the end, and goes away', () => {
    const written = drawn(true, [
      [0, 0, 4],
      [10, 1, 4],
      [500, 2, 4],
      [510, 4, 4],
    ]);

    expect(written).toEqual([
      `\r\u001b[Kstoring ${'░'.repeat(28)}   0 %  0/4  0.0 s`,
      `\r\u001b[Kstoring ${'█'.repeat(14)}${'░'.repeat(14)}  50 %  2/4  0.5 s`,
      `\r\u001b[Kstoring ${'█'.repeat(28)} 100 %  4/4  0.5 s`,
      '\r\u001b[K',
    ]);
  });

  it('without a total › shows the count', () => {
    expect(drawn(true, [[0, 7]])[0]).toBe('\r\u001b[Kstoring 7  0.0 s');
  });

  it.each([80, 60, 40, 20, 0])(
    'on a terminal of %s columns › never breaks the line, which could not be drawn over',
    (columns) => {
      const written: string[] = [];
      const stream = { isTTY: true, columns, write: (text: string) => written.push(text) };
      const bar = progressBar('downloading', stream, () => 1_234_567);
      bar.update(45, 90, 'onnx/model.onnx 45.0/90.0 MB');
      const [line = ''] = written.map((text) => text.replace('\r\u001b[K', ''));
      expect(line.length).toBeLessThan(columns || 80);
      expect(line).toMatch(/^downloading /);
      if (columns === 80) expect(line).toContain(`${'█'.repeat(10)}`);
    },
  );
});

describe('bar of a download', () => {
  it('file comes › shown while bytes come; away before the first and after the last, where the log is written', () => {
    const written: string[] = [];
    const stream = { isTTY: true, columns: 100, write: (text: string) => written.push(text) };
    let nowMs = 0;
    const onDownload = downloadBar(progressBar('downloading', stream, () => (nowMs += 100)));
    onDownload('onnx/model.onnx', 0);
    onDownload('onnx/model.onnx', 0, 90_382_513);
    expect(written).toEqual([]);
    onDownload('onnx/model.onnx', 45_191_256, 90_382_513);
    onDownload('onnx/model.onnx', 90_382_513, 90_382_513);
    onDownload('onnx/model.onnx_data', 2_000_000);
    expect(written).toEqual([
      `\r\u001b[Kdownloading ${'█'.repeat(14)}${'░'.repeat(14)}  49 %  onnx/model.onnx 45.2/90.4 MB  0.1 s`,
      '\r\u001b[K',
      '\r\u001b[Kdownloading onnx/model.onnx_data 2.0 MB  0.2 s',
    ]);
  });
});
