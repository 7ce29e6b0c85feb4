package io.delayq.compat;

import io.delayq.http.Api;

/** The contract of one older delay queue. */
interface FrontEnd {
    void routes(Api api);
}
