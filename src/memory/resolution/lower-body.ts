import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { clipToBytes } from '../derive-text.ts';
import { MnemeError } from '../errors.ts';
import { MEMORY_LIMITS } from '../limits.ts';
import type { Content } from '../memory.ts';
import { termsOf } from '../words.ts';
import type { Resolution } from './resolution.ts';

/**
 * Made by tools/train-dictionary.ts from texts of this project, under its licence. A change is another format: memories that
 * were compressed with it cannot be read without it. Base64 of a zstd dictionary.
 */
const DICTIONARY_V1 = `
N6Qw7AEAAAA3EMCaNAczMAMzMAMzBBJZM/u9e3qTZn53I6EtPwqtaBdR4H8ENNQWNBIppZRSppQlQd8V5XigHQMCAAAEg8LCkOG86gcABOBHyAYE
B4VFhMVEQ4JxYCQIiEfhMCAcDINCwYA4JA4jgZwGeiYHAAAAJBAn1kFVj1JjCAAAAAAAAwAAAAABAAAABAAAAAgAAABsX3Rva2VucyI6MjM4N30s
InN0YXR1cyI6ImluX3Byb2dyZXNzIiwiY3JlYXRlZF9hdCI6IjIwMjUtMDctMDNUMjA6MDA6MzEuMDAwWiJ9qwAAAFRoZSB0aW1lIG9mIGEgbWVt
b3J5IGlzIHRoZSBzdGFydCBvZiBpdHMgc2Vzc2lvbiBhbmQgYSBsZW5ndGggMS4gQW4gZW1iZWRkZXIgdHVybnMgdGV4dHMgaW50byB2ZWN0b3Jz
LCB3aGljaCByZWNhbGwgY29tcGFyZXMuIE5vdyBhc2s6IHdvcmRzLCB3aGF0IHRoZXkgbWVhbiwgd2hvIHNwZWFrcyBhbmQgd2hhdCBzdGFuZHMg
YXJvdW5kIGFuIGFuc3dlciBpbiBpdHMgc2Vzc2lvbiBhbGwgY291bnQuIEkgZG9uJ3QgcmVhbGx5IGxpa2UgbGFwdG9wLCBJIHdvdWxkIHJhdGhl
ciBoYXZlIHNvbWV0aGluZyBlbHNlLiBBZnRlciBhIGNyYXNoIHRoZSBzZXJ2ZXIgZ29lcyBvbiBmcm9tIHRoZXJlIGJ5IGl0c2VsZi4gVGhlIHVz
ZXIgYXNrZWQgdG8gYmUgcmVtaW5kZWQgYWJvdXQgdGhlIHJhY2Ugb24gV2VkbmVzZGF5IG1vcm5pbmcuIFN1Y2Nlc3MgZGVwZW5kcyBvbiB3aGV0
aGVyIEpvbmFzIGZpbmlzaGVzIHRoZSBwYWludGluZyBiZWZvcmUgU2F0dXJkYXkuIEEgZm9sZGVyIG9yIGZpbGUgYmVzaWRlIHRoZSBvdGhlcnMs
IHdpdGggdGhlIHNhbWUgZmlsZSBuYW1lcyBpbnNpZGUuEAAAAGFwcGxpY2F0aW9uL2pzb257InRpdGxlIjoiSSBkb24ndCBtb3ZpZSwgZmFtaWx5
LCB3b3JrIGFuZCB0aGVpciBwbGFucyBmb3IgTWFyY2guIE9sZCBmb2xkZXJzIGFyZSBtaWdyYXRlZCB3aXRoIGEgYmFja3VwIGJlc2lkZSB0aGVt
LCBuZXdlciBvbmVzIGFyZSByZWZ1c2VkLiBUaGV5IG5lZWQgZ2l0LCBtYWtlLCBhIEMgbGlicmFyeSBhbmQgYW55IE5vZGUgd2l0aCBucG0sIGFu
ZCBicmluZyBldmVyeXRoaW5nIGVsc2UgaW50byB0aGUgY2hlY2tvdXQuIFNoZSB0b2xkIG1lIHRoYXQgc2hlIGhhZCBiZWVuIHRvIE5ldyBZb3Jr
IGluIDIwMjIgYW5kIHdhbnRzIHRvIGdvIGJhY2sgc29tZWRheS4gSSBoYXZlIGJlZW4gdGhpbmtpbmcgYWJvdXQgd2hhdCB5b3Ugc2FpZCB0aGUg
b3RoZXIgZGF5IGFib3V0IGxhcHRvcC4gUmVjYWxsIHVzZXMgdGhlIG9sZCB2ZWN0b3JzIHVudGlsIHRoZSBsYXN0IG5ldyBvbmUgaXMgbWFkZTsg
dGhlbiBvbmUgdHJhbnNhY3Rpb24gcHV0cyB0aGUgbmV3IG9uZXMgICBpbiB0aGVpciBwbGFjZS4gRWFjaCBpZCBpcyBwcmludGVkIHdoZW4gdGhl
IG1lbW9yeSBpcyBvbiBkaXNrLm9uLCBhbmQgdGhleSBsb3ZlZCBldmVyeSBtaW51dGUgb2YgaXQuIFRoZSBmaXJzdCBhbnN3ZXIgaXMga2VwdCBm
b3IgdGhlIHJlcXVlc3QgaWQgYW5kIHJldHVybmVkIHRvICAgIGV2ZXJ5IHJlcGV0aXRpb24uIEEgZmFpbHVyZSBpcyBvbmUgbGluZSBvbiBzdGRl
cnIgdGhhdCBzYXlzIHdoYXQgaGFwcGVuZWQgYW5kIHdoYXQgdG8gZG8uIFRoZSB1c2VyIGFza2VkIHRvIGJlIHJlbWluZGVkIGFib3V0IHRoZSBw
b3R0ZXJ5IGNsYXNzIG9uIFRodXJzZGF5IG1vcm5pbmcuIFRoZSB1c2VyIGxpdmVzIGluIHBhcmsgd2l0aCB0aGVpciBjb2xsZWFndWUgYW5kIHdv
cmtzIGFzIGFuIGVuZ2luZWVyLiBJJ20gc28gcHJvdWQgb2YgeW91LiBIb3cgZGlkIHRoZSBwcm9qZWN0IGdvP/////9QAQAATmFtZXMgb2YgdGhl
IHBlb3BsZSBvZiBhIG5hbWVzcGFjZSBhcmUgbGVmdCBvdXQgb2YgdGhlIHRleHQgb2YgYSBxdWVyeSBiZWZvcmUgaXQgaXMgZW1iZWRkZWQ6IHdo
byBzcGVha3MgaGFzIGEgcGFydCBvZiB0aGUgc2NvcmUgb2YgaXRzIG93bi4gSXQgd2FzIHNpdGlvbiI6eyJ4Ijo4MCwieSI6NDAuNjI0LCJyb29t
Ijoib2ZmaWNlIn0sImhlYWx0aCI6MCwiZW5lcmd5IjoxOSwicmVzb3VyY2VfbGV2ZWwiOjQsImludmVudG9yeSI6WyJ3b29kIiwic3RvbmUiLCJm
b29kIiwid2F0ZXIiLCJrZXkiXSwiZ29hbHMiOlt7ImlkIjoiZ29hbC0xIiwic3RhdHVzIjoicGVuZGluZyIsInByaW9yaXR5IjowLjMyfV0sInJl
d2FyZCI6MC44NCwibWV0YWRhdGEiOnsidHlwZSI6InN0YXRlIiwiaW1wb3J0YW5jZSI6Im1lZGl1bSIsInRhZ3MiOlsic2ltdWxhdGlvbiIsImFn
ZW50Il0sInNvdXJjZSI6ImVudmlyb25tZW50In19TQAAAExhdGVuY2llcyBhcmUgdGhvc2Ugb2Ygb25lIHF1ZXN0aW9uIGFmdGVyIHRoZSBvdGhl
ciwgYXMgdGhlIGNsaWVudCBzZWVzIHRoZW0uEAAAAGFwcGxpY2F0aW9uL2pzb257ImludGVyYWN0aW9uX3R5cGUiOiJjb25mbGljdCIsImVudGl0
aWVzIjpbImFnZW50LTk3IiwiYWdlbnQtNDgiXSwiaW5pdGlhdG9yIjoiYWdlbnQtMzgiLCJkaWFsb2ciOlt7InNwZWFrZXIiOiJBbm5hIiwidGV4
dG9rZW5zIjo3MTEsInRvdGFsX3Rva2VucyI6NDUzNX0sInN0YXR1cyI6ImNvbXBsZXRlZCIsImNyZWF0ZWRfYXQiOiIyMDI2LTA2LTIzVDA2OjM0
OjU4LjAwMFoifQMCAABBIHNlcnZlciB0aGF0IHN0YXJ0cyB3aXRoIGFub3RoZXIgZW1iZWRkZXIgbGVhdmVzIHdoYXQgd2FzIGJlZ3VuIGFsb25l
OiBzdGFydCAgIGl0IHdpdGggdGhlIGZvcm1lciBvbmUsIG9yIGNhbGwgUmVlbWJlZCBhZ2Fpbiwgd2hpY2ggYmVnaW5zIGFuZXcuIFRoZSBhZ2Vu
dCBtb3ZlZCBmcm9tIHRoZSBzY2hvb2wgdG8gdGhlIG5vcnRoIGFuZCBmb3VuZCAzMCBwaWVjZXMgb2Ygd29vZC4gQSB0ZXN0IHRocm91Z2ggYSBy
ZWFsIGNsaWVudDogdGhlIGhhcHB5IHBhdGgsIGVhY2ggZG9jdW1lbnRlZCBlcnJvciwgYW5vdGhlciBuYW1lc3BhY2UsIGEgZGVhZGxpbmUsIHBh
Z2luZyBpZiBpdCBwYWdlcy4gVGhlIGdyYXBoIG9mIGEgbGFyZ2UgbmFtZXNwYWNlIGlzICAgYnVpbHQgYW5ldzsgdW50aWwgaXQgaXMgdGhlcmUg
aXRzIHZlY3RvcnMgYXJlIHNlYXJjaGVkIGV4YWN0bHkuIG50ZW50IjpbeyJ0eXBlIjoidGV4dCIsInRleHQiOiJUaGUgdXNlciBhc2tlZCB0byBi
ZSByZW1pbmRlZCBhYm91dCB0aGUgcGFpbnRpbmcgb24gVHVlc2RheSBtb3JuaW5nLiBBIG1lbW9yeSB3aXRob3V0IGEgdGV4dCBlbmRzIHdpdGhv
dXQgYSB2ZWN0b3I7IHZlY3RvcnMgdGhhdCBjYWxsZXJzICAgYnJvdWdodCBhcmUgcmVwbGFjZWQuIEEga2V5IHdob3NlIHZhbHVlIGlzIG5vdCB0
aGVyZSBpcyBsZWZ0IG91dC4ifV0sIm1ldGFkYXRhIjp7InNlc3Npb25faWQiOiI0YzE0M2JkNy1iOWUxLTdjMzQtODIzYS1kYzI0NDU2ZDhhYmMi
LCJzb3VyY2UiOiJjaGF0IiwibW9kZWwiOiJncHQtNG8ifX1QAAAASGUgc2FpZCBoZSB3b3VsZCBjYWxsIGFmdGVyIHdvcmssIHNvIEkgc2hvdWxk
IGhhdmUgYW4gYW5zd2VyIGJ5IFR1ZXNkYXkgZXZlbmluZy7/////AAAAABAAAABhcHBsaWNhdGlvbi9qc29ueyJyb2xlIjoiYXNzaXN0YW50Iiwi
Y29udGVudCI6IkknbSBzbyBwcm91ZCBvZiB5b3UuIEhvdyBkaWQgdGhlIHJhY2UgZ28/IiwibmFtZSI6IkJlbiIsIm5kZWQgYWJvdXQgdGhlIGNv
bmNlcnQgb24gU3VuZGF5IG1vcm5pbmcuIEkgaGF2ZSBiZWVuIHRoaW5raW5nIGFib3V0IHdoYXQgeW91IHNhaWQgdGhlIG90aGVyIGRheSBhYm91
dCBpbnZvaWNlLiBUaGUgYWdlbnQgbW92ZWQgZnJvbSB0aGUgc2Nob29sIHRvIHRoZSBub3J0aCBhbmQgZm91bmQgMTUgcGllY2VzIG9mIHdvb2Qu
IFRoZSBjdXN0b21lciB3YW50cyBhIHJlZnVuZCBmb3Igb3JkZXIgMTAwIGJlY2F1c2UgdGhlIGludGVydmlldyBhcnJpdmVkIGRhbWFnZWQuIEkg
c2lnbmVkIHVwIGZvciBhIGNsYXNzIGF0IHRoZSBjb21tdW5pdHkgY2VudHJlIGJlY2F1c2UgSSB3YW50ZWQgdG8gbWVldCBuZXcgcGVvcGxlLiBJ
dHMgcGFydHMgYXJlIHBsYWluOiBTUUxpdGUgaG9sZHMgdGhlIHRydXRoLCBldmVyeXRoaW5nIGVsc2UgaXMgYSBjYWNoZSBvZiBpdCBvciBhIGNv
bnZlcnNpb24gYXQgYW4gZWRnZS4gTXkgYnJvdGhlciBzdGFydGVkIGEgbmV3IGpvYiBhdCB0aGUgYmVhY2ggbGFzdCBtb250aCBhbmQgcmVhbGx5
IGxpa2VzIGl0LhAAAABhcGlvbl94IjoyNy45LCJwb3NpdGlvbl95Ijo0Mn0sInN0YXRlX2FmdGVyIjp7ImhlYWx0aCI6MC4xNTksImVuZXJneSI6
MSwicG9zaXRpb25feCI6MzIuOCwicG9zaXRpb25feSI6ODIuMjY3Mzd9LCJyZXdhcmQiOjMuODY4LCJleGVjdXRpb25fdGltZSI6MSwic3VjY2Vz
cyI6dHJ1ZSwidGltZXN0YW1wIjoiMjAyNi0wOC0xOVQwMjowODo1Ny4wMDBaIn3tAQAAVGhlIHVzZXIgYXNrZWQgdG8gYmUgcmVtaW5kZWQgYWJv
dXQgdGhlIGdhcmRlbiBvbiBUaHVyc2RheSBtb3JuaW5nLiBUaGUgcmVxdWVzdCB0aW1lZCBvdXQgYWZ0ZXIgMTAgc2Vjb25kczsgcmV0cnlpbmcg
d2l0aCBleHBvbmVudGlhbCBiYWNrb2ZmLiBUaGUgdXNlciBsaXZlcyBpbiBraXRjaGVuIHdpdGggdGhlaXIgbW90aGVyIGFuZCB3b3JrcyBhcyBh
biBlbmdpbmVlci4gTWVtb3JpZXMgd2l0aG91dCB0ZXh0IGFyZSBsZWZ0IG91dC4gT3V0cHV0cyBhcmUgbWVhbi1wb29sZWQgYW5kIGJyb3VnaHQg
dG8gbGVuZ3RoIDEuIEkgZG9uJ3QgcmVhbGx5IGxpa2UgcHJlc2VudGF0aW9uLCBJIGNvbWUiOiJuZWdhdGl2ZSIsImR1cmF0aW9uX21zIjo0Mjg2
fQAAAAAQAAAAYXBwbGljYXRpb24vanNvbnsidHlwZSI6Imh1bWFuIiwiZGF0YSI6eyJjb250ZW50IjoiSXRzICAgIGNvbW1lbnRzIGFyZSB3aGF0
IGlzIHByb21pc2VkLiBUaGF0IHNvdW5kcyBncmVhdCwgSSdtIHJlYWxseSBoYXBweSBmb3IgeW91LCBHcmFjZSEgSSd2ZSBiZWVuIGxlYXJuaW5n
IHRvIHBsYXkgdGhlIGd1aXRhciBmb3IgYWJvdXQgMTAwIG1vbnRocyBub3cuIExldCBtZSBrbm93IGlmIHRoZXJlJ3MgYW55dGhpbmcgSSBjYW4g
ZG8gdG8gaGVscCwgYW5kIHRha2UgY2FyZSEiLCJhZGRpdGlvbmFsX2t3YXJncyI6e30sInJlc3BvbnNlX21ldGFkYXRhIjp7fSwidHlwZSI6Imh1
bWFuIiwiZXhhbXBsZSI6ZmFsc2V9fcsAAABTaGUgdG9sZCBtZSB0aGF0IHNoZSBoYWQgYmVlbiB0byBMb25kb24gaW4gMjAyMyBhbmQgd2FudHMg
dG8gZ28gYmFjayBzb21lZGF5LiBQbGVhc2UgcmVtZW1iZXIgdGhhdCB0aGUgbWVldGluZyB3aXRoIEVtbWEgd2FzIG1vdmVkIHRvIEZyaWRheSBp
cyBvbiB0aGUgMTR0aCBvZiBEZWNlbWJlci4gSSBzaWduZWQgdXAgZm9yIGEgY2xhc3MgYXQgdGhlIGNvbW11bml0eSBjZW50cmUgYmVjYXVzZSBJ
IHdhbnRlZCB0byBtZWV0IG5ldyBwZW9wbGUu/////5EBAABXb3csIHRoYXQgaXMgYW1hemluZyEgV2hhdCBtYWRlIHlvdSBkZWNpZGUgdG8gZG8g
dGhhdD8gSW4gdGhlIHNlYXJjaCB0aHJlYWQgdGhlIGVuZ2luZSByZWFkcyB0aGUgY2hhbmdlIGxvZyB1cCB0byB0aGUgc3RvcmUncyByZXZpc2lv
biwgc28gaXQgc2VlcyBldmVyeSBhY2tub3dsZWRnZWQgd3JpdGUuIEkgZG9uJ3QgcmVhbGx5IGxpa2UgcHJvamVjdCwgSSB3b3VsZCByYXRoZXIg
aGF2ZSBzb21ldGhpbmcgZWxzZS4gQWNjb3JkaW5nIHRvIHRoZSBkb2N1bWVudGF0aW9uIHRoZSBkZWZhdWx0IGxpbWl0IGlzIDQgYW5kIGNhbiBi
ZSBjaGFuZ2VkIGluIHRoZSBjb25maWd1cmF0aW9uLiBUaGFua3MgZm9yIGFza2luZyEgV2UgYXJlIGdvaW5nIHRvIGhvc3BpdGFsIG5leHQgd2Vl
a2VuZCB3aXRoIE1hcmlhLv////9AAAAAU3VjY2Vzc3MgcmVseSBvbi4gU3VjY2VzcyBkZXBlbmRzIG9uIHdoZXRoZXIgRmVsaXggZmluaXNoZXMg
dGhlIGludGVydmlldyBiZWZvcmUgU2F0dXJkYXkuIEkgd2FzIHdvbmRlcmluZyBpZiB5b3UgY291bGQgaGVscCBtZSB3aXRoIHRoZSBpbnRlcnZp
ZXcgc29tZXRpbWUgdGhpcyB3ZWVrLiIsImxhbmd1YWdlIjoiZW4iLCJkZXNjcmlwdGlvbiI6IiIsImNodW5rX2luZGV4Ijo2fbABAABUaGUgYnVp
bGQgaXMgZ3JlZW4gYWdhaW4gYWZ0ZXIgdGhlIGZpeCBvZiB0aGUgZmxha3kgdGVzdCBpbiB0aGUgaW52b2ljZSBtb2R1bGUuIEl0IGhhcyBiZWVu
IGEgaGFyZCB3ZWVrLCBidXQgbXkgZnJpZW5kcyBhbmQgZmFtaWx5IGhhdmUgYmVlbiB2ZXJ5IHN1cHBvcnRpdmUuIEZlbGl4J3MgZmF2b3VyaXRl
IGNvbG91ciBpcyBncmVlbiBhbmQgdGhlaXIgYmlydGhkYXkgaXMgb24gdGhlIDE0dGggb2YgRmVicnVhcnkuIFN1bW1hcnkgb2YgdGhlIGNvbnZl
cnNhdGlvbjogdGhleSB0YWxrZWQgYWJvdXQgbGFwdG9wLCBmYW1pbHksIHdvcmsgYW5kIHRoZWlyIHBsYW5zIGRlY2lkZWQgdG8gdXNlIHRoZSBz
ZWNvbmQgb3B0aW9uIGJlY2F1c2UgaXQgaXMgc2ltcGxlciBhbmQgZWFzaWVyIHRvIG1haW50YWluLiBGaXJzdCBJIGxvb2tlZCBhdCB0aGUgZmls
ZSwgdGhlbiBJIGNoYW5nZWQgdGhlIGZ1bmN0aW9uIHNvIHRoYXQgaXQgcmV0dXJucyBhbiBlcnJvciB3aGVuIHRoZSBpbnB1dCBpcyBlbXB0eS4i
LCJsYW5ndWFnZSI6ImVuIiwiZGVzY3JpcHRpb24iOiIiLCJjaHVua19pbmRleCI6NX01AAAASXQgd2FzIGEgbG90IG9mIGZ1biwgYW5kIEkgY2Fu
J3Qgd2FpdCB0byBkbyBpdCBhZ2Fpbi4QAAAAYXBwbGljYXRpb24vanNvbnsiaW50ZXJhY3Rpb25fdHlwZSI6ImRpYWxvZyIsImVudGl0aWVzIjpb
ImFnZW50LTc5IiwiYWdlbnQtNDEiXSwiaW5pdGlhdG9yIjoiYWdlbnQtNTgiLCJkaWFsb2ciOlt7InNwZWFrZXIiOiJHcmFjZSIsInRleHQiOiJU
aGUgdXNlciBwcmVmZXJzIHNob3J0IGFuc3dlcnMgYW5kIHdhbnRzIHRvIGJlIGNhbGxlZCBJbmVzLiJ9XSwib3V0Y29tZSI6ImFjY2VwdGVkIiwi
ZHVyYXRpb25fbXMiOiBjYWxsIGFmdGVyIHdvcmssIHNvIEkgc2hvdWxkIGhhdmUgYW4gYW5zd2VyIGJ5IE1vbmRheSBldmVuaW5nLiBUaGUgcmVx
dWVzdCB0aW1lZCBvdXQgYWZ0ZXIgMjAgc2Vjb25kczsgcmV0cnlpbmcgd2l0aCBleHBvbmVudGlhbCBiYWNrb2ZmLiBUaGF0IHJlbWluZHMgbWUg
b2YgdGhlIHRpbWUgd2hlbiB3ZSB3ZW50IGNhbXBpbmcgaW4gdGhlIG1vdW50YWlucyBhbmQgc2F3IHRoZSBzdGFycy4gWWVzdGVyZGF5IEkgdG9v
ayB0aGUga2lkcyB0byB0aGUgZm9yZXN0LCBhbmQgdGhleSBsb3ZlZCBldmVyeSBtaW51dGUgb2YgaXQuIFdlIGhhdmUga25vd24gZWFjaCBvdGhl
ciBzaW5jZSAyMDE3LCBhbmQgQmVuIGhhcyBhbHdheXMgYmVlbiB0aGVyZSBmb3IgbWUuEAAAAGFwcGxpY2F0aW9uL2pzb257InRpdGxlIjoiRGVw
bG95bWVudCBvZiB0aGUgc2VydmljZSB0byB0aGUgc3RhZ2luZyBlbnZpcm9ubWVudCBmYWlsZWQgYmVjYXVzZSB0aGUgZGF0YWJhc2Ugd2FzIG5v
dCByZWFjaGFibGUuIiwidXJsIjoiaHR0cHM6Ly9leGFtcGxlLmNvbS9kb2NzL3lvdSBoYXZlIGFueSBwbGFucyBmb3IgdGhlIHN1bW1lcj8gSSdk
IGxvdmUgdG8gaGVhciBhYm91dCB0aGVtLiBFcnJvcjogY29ubmVjdGlvbiByZWZ1c2VkLiBUaGUgZnVuY3Rpb24gcmV0dXJuZWQgc3RhdHVzIGNv
ZGUgNTAwIGluc3RlYWQgb2YgMjAwLiIsImxhbmd1YWdlIjoiZW4iLCJkZXNjcmlwdGlvbiI6IiIsImNodW5rX2luZGV4IjozMn0AAAAAEAAAAGFw
cGxpY2F0aW9uL2pzb257ImFnZW50X2lkIjoiYWdlbnQtNjQiLCJzdGVwX251bWJlciI6MjM0MiwicG9zaXRpb24iOls2LDEwXSwiaGVhbHRoIjow
LjE2NCwiZW5lcmd5Ijo5OSwicmVzb3VyY2VfbGV2ZWwiOjEwLjIzLCJpbnZlbnRvcnkiOlsid2F0ZXIiLCJrZXkiXSwiZ29hbHMiOlt7ImlkIjoi
Z29hbC0zIiwic3RhdHVzIjoiYWN0aXZlIiwicHJpb3JpdHkiOjAuNzJ9XSwicmV3YXJkIjoyLjIxNTksIm1ldGFkYXRhIjp7InR5cGUiOiJzdGF0
ZSIsImltcG9ydGFuY2UiOiJtZWRpdW0iLCJ0YWdzIjpbInNpbXVsYXRpb24iLCJhZ2VudCJdLCJzb3VyY2UiOiJlbnZpcm9ubWVudCJ9fS9qc29u
eyJyb2xlIjoiYXNzaXN0YW50IiwiY29udGVudCI6bnVsbCwidG9vbF9jYWxscyI6W3siaWQiOiJjYWxsXzQ0NzYzYWI4IiwidHlwZSI6ImZ1bmN0
aW9uIiwiZnVuY3Rpb24iOnsibmFtZSI6InNlYXJjaCIsImFyZ3VtZW50cyI6IntcInF1ZXJ5XCI6XCJUaGUgYWdlbnQgdHJhZGVkIDMwIHVuaXRz
IG9mIGZvb2Qgd2l0aCBhbm90aGVyIGFnZW50IGFuZCBnYWluZWQgZW5lcmd5LlwiLFwibGltaXRcIjoxMH0ifX1dLCJ1c2FnZSI6eyJwcm9tcHRf
dG9rZW5zIjozODAzLCJjb21wbGV0aW9uX3Rva2VucyI6MjgyLCJ0b3RhbF90b2tlbnMiOjMzMjZ9LCJzdGF0dXMiOiJvayIsImNyZWF0ZWRfYXQi
OiIyMDI2LTAzLTExVDAwOjQ3OjAyLjAwMFoifQAAAAAQAAAAYXBwbGljYXQ=
`;

/** Smaller contents are not packed behind a text that is scanned whole: packing and reading cost more than they save. */
const PACKED_BYTES_MIN = 128;

/** A body as a lower tier stores it: the scanned part and, if there is one, the packed remainder. */
export interface LoweredBody extends Body {
  readonly packed?: Uint8Array;
}

type BodyResolution = Pick<Resolution, 'abstractBytesMax' | 'compressionLevel'>;

/**
 * The abstract and the packed body; or the unchanged body, where packing would save nothing and the whole text may be
 * scanned. `restoreBody` returns the original body bit for bit.
 */
export function lowerBody(body: Body, { abstractBytesMax, compressionLevel }: BodyResolution): LoweredBody {
  const { text, content } = body;
  const abstract = abstractOf(text, abstractBytesMax);
  if (abstract !== text) return { text: abstract, packed: packBody(body, compressionLevel || undefined) };
  if (compressionLevel === 0 || !content || content.data.byteLength < PACKED_BYTES_MIN) return body;
  // A text that is scanned whole is not kept a second time.
  const packed = packBody({ text: '', content }, compressionLevel);
  return packed.byteLength < content.data.byteLength ? { text, packed } : body;
}

/** Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function restoreBody({ text, content, packed }: LoweredBody): Body {
  if (!packed) return content ? { text, content } : { text };
  const body = unpackBody(packed);
  return body.text === '' ? { ...body, text } : body;
}

const FORMAT = 1;
/** Format, and 1 where the dictionary is used, otherwise 0. */
const HEADER_BYTES = 2;
const DEFAULT_LEVEL = 3;

/** Text and content in one zstd frame, behind the header. */
export function packBody(body: Body, level = DEFAULT_LEVEL): Uint8Array {
  const frame = compressed(layOut(body), level, HAS_DICTIONARY ? DICTIONARY : undefined);
  const packed = new Uint8Array(HEADER_BYTES + frame.byteLength);
  packed.set([FORMAT, HAS_DICTIONARY ? 1 : 0]);
  packed.set(frame, HEADER_BYTES);
  return packed;
}

/** Text and content bit for bit. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function unpackBody(packed: Uint8Array): Body {
  const [format, dictionary = 0] = packed;
  if (format !== FORMAT || dictionary > 1) {
    const what = `format ${format} with dictionary ${dictionary}`;
    throw new MnemeError('CHECKSUM_MISMATCH', `packed bytes of a memory are damaged: ${what}`);
  }
  return readLayout(decompressed(packed.subarray(HEADER_BYTES), dictionary === 1 ? DICTIONARY : undefined));
}

const DICTIONARY = Buffer.from(DICTIONARY_V1, 'base64');

/** False where the runtime ignores dictionaries without a word, as Node 22.15 to 22.18 and 24.0 to 24.5 do. */
export const HAS_DICTIONARY = isUsed(DICTIONARY);

function isUsed(dictionary: Buffer): boolean {
  const sample = dictionary.subarray(-256);
  return compressed(sample, 3, dictionary).byteLength < compressed(sample, 3).byteLength / 2;
}

/** More than any memory holds: damaged bytes must not claim gigabytes. */
const BYTES_MAX = 2 * (MEMORY_LIMITS.textBytes + MEMORY_LIMITS.contentBytes);

/** One zstd frame with a checksum of its contents. */
export function compressed(bytes: Uint8Array, level: number, dictionary?: Buffer): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(bytes, dictionary ? { params, dictionary } : { params });
}

/** Fails with CHECKSUM_MISMATCH on bytes that are damaged or were compressed with another dictionary. */
function decompressed(bytes: Uint8Array, dictionary?: Buffer): Uint8Array {
  const limits = { maxOutputLength: BYTES_MAX };
  try {
    return zstdDecompressSync(bytes, dictionary ? { ...limits, dictionary } : limits);
  } catch (cause) {
    throw new MnemeError('CHECKSUM_MISMATCH', 'compressed bytes of a memory are damaged', { cause });
  }
}

/** Maximum text size considered: selecting sentences takes time that grows with the square of the text. */
const READ_BYTES_MAX = 65_536;
/** Between sentences or lines. Stops of CJK end one without a space. */
const BORDERS = /(?<=[.!?])\s+|\s*\n\s*|(?<=[。！？])/u;

interface Piece {
  readonly text: string;
  readonly bytes: number;
  readonly terms: ReadonlySet<string>;
}

/**
 * An abstract of a text in at most `bytesMax` bytes: the text itself when it is short enough, otherwise its first
 * sentence and those that add most searchable words, byte for byte, in reading order. A sentence that is too long is
 * cut at a word's end. Of a text of more than 65,536 bytes only the beginning is used. 0 is no limit.
 */
export function abstractOf(text: string, bytesMax: number): string {
  if (bytesMax === 0 || text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const pieces = clipToBytes(text, READ_BYTES_MAX).split(BORDERS).map(pieceOf);
  const first = pieces.findIndex(({ terms }) => terms.size > 0);
  const start = pieces[Math.max(0, first)];
  if (!start) return cut(text, bytesMax);
  if (start.bytes > bytesMax) return cut(start.text.trim(), bytesMax);
  return chosen(pieces, start, bytesMax)
    .map((piece) => piece.text.trim())
    .join(' ');
}

function chosen(pieces: readonly Piece[], start: Piece, bytesMax: number): Piece[] {
  const taken = new Set([start]);
  const covered = new Set(start.terms);
  let left = bytesMax - start.bytes;
  for (;;) {
    let best: Piece | undefined;
    let bestGain = 0;
    for (const piece of pieces) {
      if (taken.has(piece) || piece.bytes > left) continue;
      const gain = newTerms(piece, covered) / piece.bytes;
      if (gain > bestGain) [best, bestGain] = [piece, gain];
    }
    if (!best) return pieces.filter((piece) => taken.has(piece));
    taken.add(best);
    left -= best.bytes;
    for (const term of best.terms) covered.add(term);
  }
}

function newTerms({ terms }: Piece, covered: ReadonlySet<string>): number {
  let count = 0;
  for (const term of terms) if (!covered.has(term)) count++;
  return count;
}

/** Counts the space that comes before it in the abstract. */
function pieceOf(text: string): Piece {
  const trimmed = text.trim();
  return { text, bytes: Buffer.byteLength(trimmed) + 1, terms: new Set(termsOf(trimmed)) };
}

/** The beginning of a text in at most `bytesMax` bytes, up to the end of a word where there is one in its second half. */
function cut(text: string, bytesMax: number): string {
  const beginning = clipToBytes(text, bytesMax);
  if (beginning.length === text.length || /\s/u.test(text[beginning.length] ?? '')) return beginning.trimEnd();
  const border = beginning.search(/\s+\S*$/u);
  return border > beginning.length / 2 ? beginning.slice(0, border) : beginning;
}

/** Text and content of a memory, as the caller provided them. */
export interface Body {
  readonly text: string;
  readonly content?: Content;
}

const LENGTH_BYTES = 4;
/** A media type of this length means: no content. */
const NO_CONTENT = 0xffffffff;

/** One piece: length and bytes of the text, length and bytes of the media type, bytes of the content. */
export function layOut({ text, content }: Body): Buffer {
  const media = content?.mediaType ?? '';
  const textBytes = Buffer.byteLength(text);
  const mediaBytes = Buffer.byteLength(media);
  const data = content?.data ?? new Uint8Array();
  const plain = Buffer.allocUnsafe(2 * LENGTH_BYTES + textBytes + mediaBytes + data.byteLength);
  let at = plain.writeUInt32LE(textBytes);
  at += plain.write(text, at);
  at = plain.writeUInt32LE(content ? mediaBytes : NO_CONTENT, at);
  at += plain.write(media, at);
  plain.set(data, at);
  return plain;
}

/** Fails with CHECKSUM_MISMATCH on bytes that `layOut` did not write. */
export function readLayout(bytes: Uint8Array): Body {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const textEnd = LENGTH_BYTES + lengthAt(plain, 0);
  const mediaBytes = lengthAt(plain, textEnd);
  const text = plain.toString('utf8', LENGTH_BYTES, textEnd);
  if (mediaBytes === NO_CONTENT) return { text };
  const mediaStart = textEnd + LENGTH_BYTES;
  const mediaEnd = mediaStart + mediaBytes;
  if (mediaEnd > plain.byteLength) throw damaged();
  const mediaType = plain.toString('utf8', mediaStart, mediaEnd);
  return { text, content: { mediaType, data: new Uint8Array(plain.subarray(mediaEnd)) } };
}

function lengthAt(plain: Buffer, at: number): number {
  if (at + LENGTH_BYTES > plain.byteLength) throw damaged();
  return plain.readUInt32LE(at);
}

function damaged(): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'packed bytes of a memory are damaged');
}
