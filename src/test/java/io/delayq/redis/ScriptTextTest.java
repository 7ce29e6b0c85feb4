package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ScriptTextTest {
    private static final String PRELUDE =
            """
            local one = 1

            -- Twice one.
            local function two()
              return one + one
            end

            local function three()
              return two() + one
            end

            local function four()
              return two() + two()
            end
            """;

    private final ScriptText text = new ScriptText(PRELUDE);

    @Test
    void a_script_has_what_it_needs_in_the_preludes_order_and_nothing_else() {
        assertEquals(
                """
                #!lua
                local one = 1
                -- Twice one.
                local function two()
                  return one + one
                end
                return two()
                """,
                text.joined("#!lua\nreturn two()\n"));
    }

    @Test
    void comments_need_nothing() {
        String script = "#!lua\n--[[ three() ]]\nreturn 1 -- four\n";
        assertEquals(script, text.joined(script));
    }

    @Test
    void what_only_the_rare_part_needs_is_made_there() {
        assertEquals(
                """
                #!lua
                local one = 1
                -- Twice one.
                local function two()
                  return one + one
                end
                local made
                local function rare()
                  if made then return made end
                local function three()
                  return two() + one
                end
                local function four()
                  return two() + two()
                end
                  made = {three = three, four = four}
                  return made
                end

                return two() + rare().three()
                """,
                text.joined(
                        """
                        #!lua
                        local made
                        local function rare()
                          if made then return made end
                          made = {three = three, four = four}
                          return made
                        end

                        return two() + rare().three()
                        """));
    }
}
