package dev.mneme.client;

import java.time.Instant;
import java.util.List;

/**
 * Messages of one conversation to extract from.
 *
 * @param id id of the job
 * @param conversation id of the conversation
 * @param scope owner of the messages
 * @param messages messages to extract from, in order, at least one
 * @param earlier up to 10 messages that precede them, cut at 4,096 bytes: for reference only
 * @param attempt number of this attempt, from 1
 * @param lastError why the attempt before failed; empty on the first one
 * @param deadline time at which the server takes the job back
 * @param model setting {@code extraction.model} of the namespace; empty when there is none
 */
public record ExtractionJob(String id, @From("conversation") String conversation, Scope scope, List<ConversationMessage> messages,
    List<ConversationMessage> earlier, int attempt, String lastError, Instant deadline, String model) {}
