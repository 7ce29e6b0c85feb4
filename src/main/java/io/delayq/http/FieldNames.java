package io.delayq.http;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The names of the fields that the objects around a place in a JSON text have had so far, so that one given twice is
 * found. Most objects have few: those are compared one by one, which takes a fraction of what a set for each would.
 */
final class FieldNames {
    private static final int FEW = 16;

    private String[] names = new String[FEW];
    private int size;
    /** For each object around: where its names begin, and the set of them if they are many. */
    private int[] begins = new int[8];

    private Set<?>[] many = new Set<?>[8];
    private int depth;

    void open() {
        if (depth == begins.length) {
            begins = Arrays.copyOf(begins, 2 * depth);
            many = Arrays.copyOf(many, 2 * depth);
        }
        begins[depth] = size;
        many[depth] = null;
        depth++;
    }

    void close() {
        depth--;
        size = begins[depth];
    }

    /** @return false if the innermost object has had it before */
    boolean add(String name) {
        int begin = begins[depth - 1];
        if (size - begin == FEW) {
            return addToMany(begin, name);
        }
        for (int i = begin; i < size; i++) {
            if (names[i].equals(name)) {
                return false;
            }
        }
        if (size == names.length) {
            names = Arrays.copyOf(names, 2 * size);
        }
        names[size++] = name;
        return true;
    }

    @SuppressWarnings("unchecked")
    private boolean addToMany(int begin, String name) {
        if (many[depth - 1] == null) {
            many[depth - 1] = new HashSet<>(Arrays.asList(names).subList(begin, size));
        }
        return ((Set<String>) many[depth - 1]).add(name);
    }
}
