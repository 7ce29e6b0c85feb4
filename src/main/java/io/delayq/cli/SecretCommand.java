package io.delayq.cli;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What goes into the settings in place of a secret. */
@Command(
        description = {
            "Hashes a password for users, or with --token a secret for tokens.",
            "It is typed, or comes as the first line of the standard input."
        })
final class SecretCommand implements Runnable {
    private static final int COST = 12;

    private final Context context;

    @Option(names = "--token", description = "Writes the SHA-256 of a token instead of bcrypt.")
    private boolean token;

    @Spec
    private CommandSpec spec;

    SecretCommand(Context context) {
        this.context = context;
    }

    @Override
    public void run() {
        String secret = read();
        if (secret == null || secret.isEmpty()) {
            throw Failure.usage("expected the secret as the first line of the standard input");
        }
        spec.commandLine().getOut().println(token ? sha256(secret) : bcrypt(secret));
    }

    private String read() {
        if (context.terminal()) {
            char[] typed = System.console().readPassword("Secret: ");
            return typed == null ? null : new String(typed);
        }
        try {
            return new BufferedReader(new InputStreamReader(context.in(), StandardCharsets.UTF_8)).readLine();
        } catch (IOException e) {
            throw Failure.of("the standard input cannot be read: " + e.getMessage());
        }
    }

    private static String bcrypt(String secret) {
        byte[] hash = BCrypt.with(BCrypt.Version.VERSION_2B, LongPasswordStrategies.none())
                .hash(COST, secret.getBytes(StandardCharsets.UTF_8));
        return new String(hash, StandardCharsets.US_ASCII);
    }

    private static String sha256(String secret) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
