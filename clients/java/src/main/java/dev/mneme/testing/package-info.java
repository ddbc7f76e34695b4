/** A server for tests: {@link dev.mneme.testing.TestServer}. */
package dev.mneme.testing;
