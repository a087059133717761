import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.oauth2.client.authentication.OAuth2LoginAuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;

/**
 * A client of Spring Security, by the classes that its login filter calls. It prints the address that a browser opens,
 * reads the address that the browser came back to, and prints what it was given.
 */
public class ReleaseTest {
  public static void main(String[] args) throws Exception {
    ClientRegistration registration = ClientRegistrations.fromIssuerLocation(System.getenv("ISSUER"))
        .registrationId("gatehouse")
        .clientId(System.getenv("CLIENT_ID"))
        .clientSecret(System.getenv("CLIENT_SECRET"))
        .redirectUri(System.getenv("REDIRECT_URI"))
        .scope("openid", "email", "read")
        .build();
    OAuth2AuthorizationRequest.Builder builder = OAuth2AuthorizationRequest.authorizationCode()
        .authorizationUri(registration.getProviderDetails().getAuthorizationUri())
        .clientId(registration.getClientId())
        .redirectUri(registration.getRedirectUri())
        .scopes(registration.getScopes())
        .state("of-spring");
    OAuth2AuthorizationRequestCustomizers.withPkce().accept(builder);
    OAuth2AuthorizationRequest request = builder.build();
    System.out.println(request.getAuthorizationRequestUri());

    String back = new BufferedReader(new InputStreamReader(System.in)).readLine();
    Map<String, String> query = new HashMap<>();
    for (String pair : back.substring(back.indexOf('?') + 1).split("&")) {
      String[] parts = pair.split("=", 2);
      query.put(parts[0], java.net.URLDecoder.decode(parts[1], "UTF-8"));
    }
    OAuth2AuthorizationResponse response = OAuth2AuthorizationResponse.success(query.get("code"))
        .redirectUri(registration.getRedirectUri())
        .state(query.get("state"))
        .build();
    OidcAuthorizationCodeAuthenticationProvider provider = new OidcAuthorizationCodeAuthenticationProvider(
        new RestClientAuthorizationCodeTokenResponseClient(), new OidcUserService());
    OAuth2LoginAuthenticationToken login = (OAuth2LoginAuthenticationToken) provider.authenticate(
        new OAuth2LoginAuthenticationToken(registration, new OAuth2AuthorizationExchange(request, response)));
    OidcUser user = (OidcUser) login.getPrincipal();
    List<String> authorities = login.getAuthorities().stream().map(GrantedAuthority::getAuthority).toList();
    String refreshed = new RestClientRefreshTokenTokenResponseClient()
        .getTokenResponse(new OAuth2RefreshTokenGrantRequest(
            registration, login.getAccessToken(), login.getRefreshToken()))
        .getAccessToken().getTokenValue();
    Map<String, Object> metadata = registration.getProviderDetails().getConfigurationMetadata();
    Map<String, Object> told = new HashMap<>();
    told.put("sub", user.getSubject());
    told.put("email", user.getEmail());
    told.put("authorities", authorities);
    told.put("refreshed", !refreshed.equals(login.getAccessToken().getTokenValue()));
    told.put("end_session_uri", metadata.get("end_session_endpoint") + "?id_token_hint=" + user.getIdToken().getTokenValue());
    System.out.println(new ObjectMapper().writeValueAsString(told));
  }
}
