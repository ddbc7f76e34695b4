package dev.mneme.client;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Where a component of a record comes from in a message, when the name does not say it: see {@link Answers}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface From {
  /** Name of the field; empty: that of the component. */
  String value() default "";

  /** Null when the message says nothing: an empty text, an unset message, no value of an enum, an empty list. */
  boolean optional() default false;
}
