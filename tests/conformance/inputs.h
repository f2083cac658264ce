/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.h - the operands of the conformance items: in_X(k, i) is operand k of
 * case i, X the operand's type (items.py). The first 2304 cases pair 48 edge
 * values (zeros, subnormals, largest, infinities, NaNs, ones and their neighbours,
 * limits of the integer types) with each other; the rest is drawn by a fixed hash
 * from ranges that programs use. Changing anything here means recording anew. */
/* clang-format off */
#ifndef CONFORMANCE_INPUTS_H
#define CONFORMANCE_INPUTS_H
#include <stdint.h>
#include <string.h>
#ifdef __CUDACC__
#define HD __host__ __device__ static inline
#else
#define HD static inline
#endif
HD uint64_t mix64(uint64_t x){ x+=0x9e3779b97f4a7c15ull; x=(x^(x>>30))*0xbf58476d1ce4e5b9ull; x=(x^(x>>27))*0x94d049bb133111ebull; return x^(x>>31);}
#define N_CASES 4096
#define N_EDGE 48
HD uint32_t edge_f(unsigned j){
 switch(j){
 case 0:return 0x00000000;case 1:return 0x80000000;case 2:return 0x00000001;case 3:return 0x80000001;
 case 4:return 0x007fffff;case 5:return 0x807fffff;case 6:return 0x00800000;case 7:return 0x80800000;
 case 8:return 0x7f7fffff;case 9:return 0xff7fffff;case 10:return 0x7f800000;case 11:return 0xff800000;
 case 12:return 0x7fc00000;case 13:return 0xffc00000;case 14:return 0x7f800001;case 15:return 0xffbfffff;
 case 16:return 0x3f800000;case 17:return 0xbf800000;case 18:return 0x3f000000;case 19:return 0xbf000000;
 case 20:return 0x40000000;case 21:return 0xc0000000;case 22:return 0x3f7fffff;case 23:return 0x3f800001;
 case 24:return 0x40490fdb;case 25:return 0x3fc90fdb;case 26:return 0x3e800000;case 27:return 0x40200000;
 case 28:return 0x4f000000;case 29:return 0xcf000000;case 30:return 0x4effffff;case 31:return 0x4f800000;
 case 32:return 0x5f000000;case 33:return 0xdf000000;case 34:return 0x5f800000;case 35:return 0x5effffff;
 case 36:return 0x00400000;case 37:return 0x01000000;case 38:return 0x7f000000;case 39:return 0x42b17218;
 case 40:return 0xc2aeac50;case 41:return 0x3dcccccd;case 42:return 0xc0a00000;case 43:return 0x47800000;
 case 44:return 0x4b000001;case 45:return 0xbfc00000;case 46:return 0x477fe000;default:return 0x33800000;}
}
HD uint64_t edge_d(unsigned j){
 switch(j){
 case 0:return 0;case 1:return 1ull<<63;case 2:return 1;case 3:return (1ull<<63)|1;
 case 4:return 0x000fffffffffffffull;case 5:return 0x800fffffffffffffull;case 6:return 0x0010000000000000ull;case 7:return 0x8010000000000000ull;
 case 8:return 0x7fefffffffffffffull;case 9:return 0xffefffffffffffffull;case 10:return 0x7ff0000000000000ull;case 11:return 0xfff0000000000000ull;
 case 12:return 0x7ff8000000000000ull;case 13:return 0xfff8000000000000ull;case 14:return 0x7ff0000000000001ull;case 15:return 0xfff7ffffffffffffull;
 case 16:return 0x3ff0000000000000ull;case 17:return 0xbff0000000000000ull;case 18:return 0x3fe0000000000000ull;case 19:return 0xbfe0000000000000ull;
 case 20:return 0x4000000000000000ull;case 21:return 0xc000000000000000ull;case 22:return 0x3fefffffffffffffull;case 23:return 0x3ff0000000000001ull;
 case 24:return 0x400921fb54442d18ull;case 25:return 0x3ff921fb54442d18ull;case 26:return 0x3fd0000000000000ull;case 27:return 0x4004000000000000ull;
 case 28:return 0x41e0000000000000ull;case 29:return 0xc1e0000000000000ull;case 30:return 0x41dfffffffc00000ull;case 31:return 0x41f0000000000000ull;
 case 32:return 0x43e0000000000000ull;case 33:return 0xc3e0000000000000ull;case 34:return 0x43f0000000000000ull;case 35:return 0x43dfffffffffffffull;
 case 36:return 0x0008000000000000ull;case 37:return 0x380ffffff0000000ull;case 38:return 0x47efffffefffffffull;case 39:return 0x40862e42fefa39efull;
 case 40:return 0xc0874910d52d3051ull;case 41:return 0x3fb999999999999aull;case 42:return 0xc014000000000000ull;case 43:return 0x40f0000000000000ull;
 case 44:return 0x4330000000000001ull;case 45:return 0xbff8000000000000ull;case 46:return 0x47efffffe0000000ull;default:return 0x36a0000000000000ull;}
}
HD unsigned edge_index(unsigned k, unsigned i){
 return k==0 ? i%48 : k==1 ? (i/48)%48 : k==2 ? (i*5+i/48+i/7)%48 : (i*11+i/48)%48;
}
HD float in_f(unsigned k, unsigned i){
 uint32_t b; float f;
 if(i<2304) b=edge_f(edge_index(k,i));
 else { uint64_t h=mix64(i*8ull+k); uint32_t r=(uint32_t)(h>>32), m=r&0x7fffff; unsigned c=i%8;
  if(c==0) b=r;
  else if(c==1) b=0x3f800000u-((1+(r>>23)%6)<<23)|m;               /* [2^-6,1) */
  else if(c==2) b=(r&0x80000000u)|((0x7f-12+(h&15))<<23)|m;         /* 2^-12..2^3 */
  else if(c==3) b=(r&0x80000000u)|((0x7f+(h&7))<<23)|m;            /* 1..256 */
  else if(c==4) b=((0x7f+(h&31))<<23)|(m&0x7fe000);
  else if(c==5){ f=(float)(int)((h&1023)-512)*0.25f; memcpy(&b,&f,4);}
  else if(c==6) b=(r&0x80000000u)|((0x7f-30+(h%60))<<23)|m;
  else b=(r&0x80000000u)|((1+(h%254))<<23)|m;
 }
 memcpy(&f,&b,4); return f;
}
HD double in_d(unsigned k, unsigned i){
 uint64_t b; double f;
 if(i<2304) b=edge_d(edge_index(k,i));
 else { uint64_t h=mix64(i*8ull+k+100000), r=mix64(h), m=r&0xfffffffffffffull; unsigned c=i%8; uint64_t s=r&(1ull<<63);
  if(c==0) b=r;
  else if(c==1) b=((1023ull-1-h%6)<<52)|m;
  else if(c==2) b=s|((1023ull-12+(h&15))<<52)|m;
  else if(c==3) b=s|((1023ull+(h&7))<<52)|m;
  else if(c==4) b=((1023ull+(h&31))<<52)|(m&0xfffff00000000ull);
  else if(c==5){ f=(double)(int)((h&1023)-512)*0.25; memcpy(&b,&f,8);}
  else if(c==6) b=s|((1023ull-30+(h%60))<<52)|m;
  else b=s|((1ull+(h%2046))<<52)|m;
 }
 memcpy(&f,&b,8); return f;
}
HD uint64_t edge_i(unsigned j){
 switch(j%24){case 0:return 0;case 1:return 1;case 2:return ~0ull;case 3:return 2;case 4:return 0x7fffffff;case 5:return 0x80000000u;
 case 6:return 0xffffffffu;case 7:return 0x7fffffffffffffffull;case 8:return 1ull<<63;case 9:return 31;case 10:return 32;case 11:return 33;
 case 12:return 63;case 13:return 64;case 14:return 16;case 15:return 0x8000;case 16:return 0x7fff;case 17:return 0xffffffff80000000ull;
 case 18:return 255;case 19:return 256;case 20:return 0x12345678;case 21:return 0xfffffffeull;case 22:return 0x0000000100000000ull;default:return 15;}
}
HD uint64_t in_l(unsigned k, unsigned i){
 if(i<2304) return edge_i(edge_index(k,i));
 uint64_t h=mix64(i*8ull+k+200000), r=mix64(h);
 switch(i%4){case 0:return r;case 1:return r&63;case 2:return (uint64_t)(int64_t)(int32_t)r;default:return r>>(h&63);}
}
HD int in_i(unsigned k, unsigned i){ return (int)(uint32_t)in_l(k,i); }
/* small integers for jn, ldexp: */
HD int in_n(unsigned k, unsigned i){ uint64_t h=mix64(i*8ull+k+300000); return (i%4)? (int)(h%24)-4 : (int)(h%12); }
HD int in_e(unsigned k, unsigned i){ uint64_t h=mix64(i*8ull+k+400000); return (i%4)? (int)(h%400)-200 : (i%16)? (int)(h%5000)-2500 : (int)h; }
HD uint16_t in_h(unsigned k, unsigned i){
 if(i<2304){ unsigned j=edge_index(k,i);
  switch(j%24){case 0:return 0;case 1:return 0x8000;case 2:return 1;case 3:return 0x8001;case 4:return 0x3ff;case 5:return 0x400;case 6:return 0x7bff;case 7:return 0xfbff;
  case 8:return 0x7c00;case 9:return 0xfc00;case 10:return 0x7e00;case 11:return 0xfe00;case 12:return 0x7c01;case 13:return 0xfdff;case 14:return 0x3c00;case 15:return 0xbc00;
  case 16:return 0x3800;case 17:return 0x4000;case 18:return 0x83ff;case 19:return 0x8400;case 20:return 0x3c01;case 21:return 0x3bff;case 22:return 0x7f80;default:return 0xff80;}}
 uint64_t h=mix64(i*8ull+k+500000); return (i%2)? (uint16_t)((h&0x83ff)|(((h>>20)%8+11)<<10)) : (uint16_t)h;
}
HD uint32_t in_H(unsigned k, unsigned i){ return in_h(k,i)|(uint32_t)in_h(k,(i*7+3)%N_CASES)<<16; }
#endif
