package org.pytorch.executorch.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Marks what may still change between releases without being deprecated first. */
@Documented
@Retention(RetentionPolicy.CLASS)
public @interface Experimental {}
