//! Tests of the client against real servers: one program, because to link a program takes longer than to run its tests.
mod conversations;
mod example;
mod extractor;
mod memories;
mod sessions;
mod streams;
mod surprises;
