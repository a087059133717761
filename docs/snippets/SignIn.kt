// build.gradle.kts: implementation("net.openid:appauth:0.11.1"),
// and manifestPlaceholders["appAuthRedirectScheme"] = {{scheme}}
import android.app.Activity
import android.content.Intent
import android.net.Uri
import net.openid.appauth.*

class SignIn(private val activity: Activity) {
    private val service = AuthorizationService(activity)
    private lateinit var state: AuthState // keep it encrypted: state.jsonSerializeString()

    fun begin(code: Int) {
        AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse({{issuer}})) { configuration, _ ->
            val found = configuration ?: return@fetchFromIssuer
            val request = AuthorizationRequest.Builder(
                found,
                {{clientId}},
                ResponseTypeValues.CODE,
                Uri.parse({{redirectUri}}),
            ).setScopes({{signInScopes:list}}).build()
            activity.startActivityForResult(service.getAuthorizationRequestIntent(request), code)
        }
    }

    /** In onActivityResult. */
    fun end(data: Intent, callApi: (token: String) -> Unit) {
        val response = AuthorizationResponse.fromIntent(data)
        state = AuthState(response, AuthorizationException.fromIntent(data))
        val request = response?.createTokenExchangeRequest() ?: return
        service.performTokenRequest(request) { tokens, error ->
            state.update(tokens, error)
            // renews the token where it has expired
            state.performActionWithFreshTokens(service) { token, _, _ -> token?.let(callApi) }
        }
    }
}
