# Warnings, hardening and sanitizers, for every target of the project.
find_program(CCACHE ccache)
if(CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

set(diorama_warnings -Wall -Wextra -Wshadow -Wconversion -Wcast-qual -Wwrite-strings -Wvla
    -Wformat=2 -Wno-format-zero-length -Wframe-larger-than=8192)
add_compile_options(${diorama_warnings}
    "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>")
# C17 with GNU extensions: sendmmsg, strcasestr, ppoll; g++ has them anyway.
add_compile_options("$<$<COMPILE_LANGUAGE:C>:-D_GNU_SOURCE=>")
# Clang alone looks at formats that were parameters of functions which check theirs, and at rows of
# tables that leave their last members empty.
add_compile_options(
    "$<$<C_COMPILER_ID:Clang>:-Wno-format-nonliteral;-Wno-missing-field-initializers>")
# A loose record instead of a frozen one, or the other way round, is never a warning only.
add_compile_options("$<$<COMPILE_LANGUAGE:C>:-Werror=incompatible-pointer-types>")
if(DIORAMA_WERROR)
    add_compile_options(-Werror)
endif()

add_compile_options(-fno-omit-frame-pointer -fstack-protector-strong)
add_link_options(-pie -Wl,-z,relro,-z,now)
if(DIORAMA_SANITIZE)
    add_compile_options(-fsanitize=${DIORAMA_SANITIZE})
    add_link_options(-fsanitize=${DIORAMA_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
