import { describe, expect, it } from '@jest/globals';
import { stemOf, termsOf, wordsOf } from '../../src/memory/words.ts';

describe('wordsOf', () => {
  it.each([
    ["Caroline's LGBTQ support-group, 2023!", ['caroline', 's', 'lgbtq', 'support', 'group', '2023']],
    ['Élan vital – NAÏVE café', ['elan', 'vital', 'naive', 'cafe']],
    ['Straße und Größe, Łódź, Þór', ['strasse', 'und', 'grosse', 'lodz', 'thor']],
    ['我喜欢茶 and tea', ['我', '我喜', '喜', '喜欢', '欢', '欢茶', '茶', 'and', 'tea']],
    ['v2東京3', ['v2', '東', '東京', '京', '3']],
    ['가방이', ['가', '가방', '방', '방이', '이']],
    ['ガム', ['ガ', 'ガム', 'ム']],
    ['แมวชื่อมะลิ ดื่มน้ำ', ['แมว', 'ชื่อ', 'มะลิ', 'ดื่ม', 'น้ำ']],
    ['ໄປໂຮງໝໍ', ['ໄປ', 'ໂຮງໝໍ']],
    ['ទៅមន្ទីរពេទ្យ', ['ទៅ', 'មន្ទីរពេទ្យ']],
    ['ဆေးရုံသွားတယ်', ['ဆေးရုံ', 'သွား', 'တယ်']],
    ['मूँगफली', ['मूँगफली']],
    ['حِفْظ العَلم', ['حفظ', 'العلم']],
    ['שָׁלוֹם', ['שלומ']],
    [
      'C, C#, C++ (.NET) @acme #tag A- a-b e.g. node.js',
      ['c', 'c#', 'c++', 'net', '.net', 'acme', '@acme', 'tag', '#tag', 'a-', 'a', 'b', 'e', 'g', 'node', 'js'],
    ],
    ['great😢 ❤️ 👍🏽 👩‍⚕️ 🇫🇷 © …', ['great', '😢', '❤', '👍', '👩‍⚕', '🇫🇷']],
    ['٤٠٢, ३१५, ๗๑๙, ６０４', ['402', '315', '719', '604']],
    ['7:30 pm, 7 p.m., 12am', ['19', '30', '19', '00', '0', '00']],
    ['09:30, 19h30; 1.2:30', ['9', '30', '19', '30', '1', '2', '30']],
    ['1,250.00 1.375,50 1’180 12,00,000 3,400,000', ['1250', '1375', '50', '1180', '1200000', '3400000']],
    ['12 400 people', ['12', '400', '12400', 'people']],
    ['192.168.100.200, 3.5, 2026-11-29, 9:30', ['192', '168', '100', '200', '3', '5', '2026', '11', '29', '9', '30']],
    ['\u0000\u0007 …', []],
    ['', []],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe('stemOf', () => {
  it.each([
    ['painting', 'paint'],
    ['adoptions', 'adopt'],
    ['is', 'is'],
    ['b2b', 'b2b'],
    ['2nd', 'second'],
    ['21st', '21st'],
    ['c#', 'c#'],
    ['😢', '😢'],
    ['בחיפה', 'חיפה'],
    ['חתולימ', 'חתול'],
    ['والمستشفي', 'مستشف'],
    ['бібліотеці', 'біблі'],
    ['喜欢', '喜欢'],
    ['โรงพยาบาล', 'โรงพยาบาล'],
  ])('%s', (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });

  it('cuts words that are too long to be words', () => {
    expect(stemOf('9'.repeat(500))).toBe('9'.repeat(64));
  });
});

describe('termsOf', () => {
  it('omits stop words and keeps repetitions', () => {
    expect(termsOf('What did Mel paint, and what is she painting?')).toEqual(['mel', 'paint', 'paint']);
  });
});
