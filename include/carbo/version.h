/* The version of these headers, for C and C++ alike. The build reads it from here, so that a version stands in one
   place; what a program runs with is carbo_version() of carbo/carbo.h. */
#ifndef CARBO_VERSION_H
#define CARBO_VERSION_H

#define CARBO_VERSION_MAJOR 0
#define CARBO_VERSION_MINOR 1
#define CARBO_VERSION_PATCH 0

/* 0.1.0 is 1000, 1.2.3 is 1002003: comparable with <. */
#define CARBO_VERSION (CARBO_VERSION_MAJOR * 1000000 + CARBO_VERSION_MINOR * 1000 + CARBO_VERSION_PATCH)

#define CARBO_VERSION_QUOTE(a, b, c) #a "." #b "." #c
#define CARBO_VERSION_TEXT(a, b, c) CARBO_VERSION_QUOTE(a, b, c)
#define CARBO_VERSION_STRING CARBO_VERSION_TEXT(CARBO_VERSION_MAJOR, CARBO_VERSION_MINOR, CARBO_VERSION_PATCH)

#endif
