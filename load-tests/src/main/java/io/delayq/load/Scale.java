package io.delayq.load;

import java.util.List;

/**
 * How much is done.
 *
 * @param rounds how often A, B and, with the faster ones, C are run; the median counts
 * @param stubbed what the load generator is set on a stub with, some times over
 * @param pace seconds of D
 * @param fillPace seconds of D as part of G, so many times over; the median counts
 */
public record Scale(
        String name,
        int rounds,
        WarmUp warmUp,
        int stubbed,
        int singles,
        int batched,
        int drained,
        int pace,
        int pending,
        int lives,
        List<Integer> fills,
        List<Integer> topics,
        int fillSingles,
        int fillBatched,
        int fillDrained,
        int fillPace,
        int fillPaces,
        List<Integer> instances,
        List<Integer> buckets) {

    static Scale of(String name) {
        return switch (name) {
            case "tiny" ->
                new Scale(
                        name,
                        1,
                        new WarmUp(3, 0.3),
                        2_000,
                        2_000,
                        5_000,
                        5_000,
                        2,
                        10_000,
                        2_000,
                        List.of(10_000),
                        List.of(1, 100),
                        1_000,
                        2_000,
                        2_000,
                        2,
                        1,
                        List.of(1),
                        List.of(1));
            case "small" ->
                new Scale(
                        name,
                        1,
                        new WarmUp(8, 1),
                        15_000,
                        20_000,
                        50_000,
                        50_000,
                        6,
                        100_000,
                        20_000,
                        List.of(10_000, 100_000),
                        List.of(1, 100),
                        10_000,
                        20_000,
                        20_000,
                        4,
                        1,
                        List.of(1, 2),
                        List.of(1, 16));
            case "full" ->
                new Scale(
                        name,
                        3,
                        new WarmUp(30, 3),
                        60_000,
                        100_000,
                        200_000,
                        300_000,
                        60,
                        1_000_000,
                        100_000,
                        List.of(10_000, 100_000, 1_000_000, 5_000_000),
                        List.of(1, 100, 10_000),
                        50_000,
                        100_000,
                        100_000,
                        10,
                        5,
                        List.of(1, 2, 4),
                        List.of(1, 4, 16, 64));
            default -> throw new IllegalArgumentException("--scale: expected tiny, small or full, found " + name);
        };
    }
}
