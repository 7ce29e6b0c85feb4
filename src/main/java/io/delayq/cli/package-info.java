/**
 * The command line: one small class a command. Except for {@code serve}, commands are clients that speak the wire contract
 * and end; they run on the thread that started the program and may wait on it.
 */
package io.delayq.cli;
