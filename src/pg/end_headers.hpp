// Ends what begin_headers.hpp begins.
}
#pragma GCC diagnostic pop
