package dev.mneme.client;

import java.time.Instant;
import java.util.List;

/**
 * A fact: the value of one attribute of one subject.
 *
 * @param name resource name of its memory
 * @param id id of its memory
 * @param scope owner; facts of different scopes do not supersede each other
 * @param subject subject, such as {@code user}
 * @param attribute attribute of the subject, in lower case, with words joined by {@code _}, and one name for synonyms
 * @param value the value
 * @param text a sentence that states it; recall searches it
 * @param confidence 0 to 1, with decay since it was last asserted
 * @param reinforcementCount number of times that it was repeated by other sources
 * @param sources resource names or URIs that state it: the first one and the 63 most recent ones
 * @param trust trust in its source; null when this version of the client does not know it
 * @param validFrom instant from which it holds
 * @param validUntil instant from which it no longer holds, or null
 * @param supersededBy id of the memory of the fact that superseded it, or null
 * @param recordTime when the server learned of it
 * @param assertTime when it was last asserted
 * @param version version of its memory
 */
public record Fact(String name, String id, Scope scope, String subject, String attribute, String value, String text, double confidence,
    int reinforcementCount, List<String> sources, TrustLevel trust, Instant validFrom, Instant validUntil,
    @From(value = "superseded_by", optional = true) String supersededBy, Instant recordTime, Instant assertTime, long version) {}
