package io.delayq.http;

/**
 * Patterns in which {@code *} stands for any run of characters; never a regular expression. Only the last star is ever
 * tried again, so that it takes at most as many steps as pattern and text have characters, multiplied: of patterns and
 * topics, which have at most 128 each, 16,384.
 */
final class Glob {
    private Glob() {}

    static boolean matches(String pattern, String text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
