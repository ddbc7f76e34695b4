import { describe, expect, it } from '@jest/globals';
import { placeInContent } from '../../src/memory/place.ts';

function placeIn(json: unknown, mediaType = 'application/json') {
  const data = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  const place = placeInContent({ mediaType, data });
  return place && { ...(place.point && { point: place.point }), ...(place.geo && { geo: place.geo }) };
}

describe('placeInContent', () => {
  it.each([
    [{ position: [1, 2] }, { x: 1, y: 2 }],
    [{ position: [1, 2, -3.5] }, { x: 1, y: 2, z: -3.5 }],
    [{ position: { x: 1, y: 2, room: 'hall' } }, { x: 1, y: 2 }],
    [{ position: { x: 1, y: 2, z: 3 } }, { x: 1, y: 2, z: 3 }],
    [
      { position_x: 1, position_y: 2 },
      { x: 1, y: 2 },
    ],
    [
      { position_x: 1, position_y: 2, position_z: 3 },
      { x: 1, y: 2, z: 3 },
    ],
    [
      { position: 'hall', position_x: 1, position_y: 2 },
      { x: 1, y: 2 },
    ],
  ])('%j is a point', (json, point) => {
    expect(placeIn(json)).toEqual({ point });
  });

  it.each([
    { latitude: 48.5, longitude: -2 },
    { lat: 48.5, lon: -2 },
    { lat: 48.5, lng: -2 },
    { lat: 48.5, long: -2 },
    { position: { lat: 48.5, lon: -2 } },
  ])('%j is a point on Earth', (json) => {
    expect(placeIn(json)).toEqual({ geo: { latitudeDeg: 48.5, longitudeDeg: -2 } });
  });

  it('both sorts › both', () => {
    expect(placeIn({ position: [1, 2], lat: 3, lon: 4 })).toEqual({
      point: { x: 1, y: 2 },
      geo: { latitudeDeg: 3, longitudeDeg: 4 },
    });
  });

  it('names inside position › stored with the point, or alone; invalid names are ignored', () => {
    const named = (position: unknown) =>
      placeInContent({ mediaType: 'application/json', data: Buffer.from(JSON.stringify({ position })) });
    expect(named({ x: 1, y: 2, room: 'attic' })).toEqual({
      point: { x: 1, y: 2 },
      location: '',
      room: 'attic',
      region: '',
    });
    expect(named({ location: 'castle', region: 'north' })).toEqual({ location: 'castle', room: '', region: 'north' });
    expect(named({ room: 'é'.repeat(64) })?.room).toHaveLength(64);
    for (const room of ['', 7, null, 'é'.repeat(65), 'a\0', '\ud800']) expect(named({ room })).toBeUndefined();
  });

  it.each([
    {},
    [],
    'null',
    '7',
    { position: [1] },
    { position: [1, 2, 3, 4] },
    { position: ['1', '2'] },
    '{"position": [1e999, 2]}',
    { position: { x: 1 } },
    { lat: 91, lon: 0 },
    { lat: 0, lon: 181 },
    { inner: { position: [1, 2] } },
    '{"position": [1, 2',
    '{"__proto__": {"position": [1, 2]}}',
  ])('%j is no place', (json) => {
    expect(placeIn(json)).toBeUndefined();
  });

  it('other formats › no place', () => {
    expect(placeIn({ position: [1, 2] }, 'text/plain')).toBeUndefined();
  });
});
