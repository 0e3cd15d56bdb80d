import java.io.IOException
import okhttp3.Interceptor
import okhttp3.Protocol
import okhttp3.Response

/** Loses calls, or answers them with a refusal, as the service or a proxy in front of it would. */
class Connection : Interceptor {
    var isOffline = false
    var refusal: Int? = null
    var calls = 0

    override fun intercept(chain: Interceptor.Chain): Response {
        calls++
        if (isOffline) throw IOException("offline")
        val status = refusal ?: return chain.proceed(chain.request())
        return Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(status).message("refused").build()
    }
}
