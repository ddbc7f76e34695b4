/** A client of Mneme, a memory server for AI agents: begin with {@link dev.mneme.client.Mneme}. */
package dev.mneme.client;
