//! A client of openidconnect as its documentation writes it. It prints the address that a browser opens, reads the
//! address that the browser came back to, and prints what it was given. The service of the test is called over plain
//! HTTP, so a few lines of it are enough.
use openidconnect::core::{CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims};
use openidconnect::{
    http, AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse, IssuerUrl, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, RedirectUrl, Scope, TokenResponse,
};
use std::env::var;
use std::io::{stdin, Read, Write};
use std::net::TcpStream;

fn call(request: HttpRequest) -> Result<HttpResponse, std::io::Error> {
    let uri = request.uri().clone();
    let host = uri.authority().expect("an authority").to_string();
    let path = uri.path_and_query().expect("a path").to_string();
    let mut text = format!("{} {path} HTTP/1.0\r\nHost: {host}\r\n", request.method());
    for (name, value) in request.headers() {
        text += &format!("{name}: {}\r\n", value.to_str().expect("a text"));
    }
    text += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n", request.body().len());
    let mut stream = TcpStream::connect(&host)?;
    stream.write_all(text.as_bytes())?;
    stream.write_all(request.body())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("headers");
    let head = String::from_utf8_lossy(&answer[..end]).to_string();
    let mut lines = head.lines();
    let status: u16 = lines.next().expect("a status").split(' ').nth(1).expect("a status").parse().expect("a number");
    let mut response = http::Response::builder().status(status);
    for line in lines {
        let (name, value) = line.split_once(':').expect("a header");
        response = response.header(name, value.trim());
    }
    Ok(response.body(answer[end + 4..].to_vec()).expect("an answer"))
}

fn main() {
    let issuer = IssuerUrl::new(var("ISSUER").unwrap()).unwrap();
    let metadata = CoreProviderMetadata::discover(&issuer, &call).expect("metadata");
    let secret = var("CLIENT_SECRET").ok().filter(|text| !text.is_empty()).map(ClientSecret::new);
    let client = CoreClient::from_provider_metadata(metadata, ClientId::new(var("CLIENT_ID").unwrap()), secret)
        .set_redirect_uri(RedirectUrl::new(var("REDIRECT_URI").unwrap()).unwrap());
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (url, _, nonce) = client
        .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
        .add_scope(Scope::new("email".into()))
        .add_scope(Scope::new("read".into()))
        .set_pkce_challenge(challenge)
        .url();
    println!("{url}");

    let mut back = String::new();
    stdin().read_line(&mut back).unwrap();
    let (_, query) = back.trim().split_once('?').expect("a query");
    let code = query.split('&').find_map(|pair| pair.strip_prefix("code=")).expect("a code");
    let tokens = client
        .exchange_code(AuthorizationCode::new(code.into()))
        .expect("a token endpoint")
        .set_pkce_verifier(verifier)
        .request(&call)
        .expect("tokens");
    let id_token = tokens.id_token().expect("an ID token");
    let claims = id_token.claims(&client.id_token_verifier(), &nonce).expect("a good ID token");
    let userinfo: CoreUserInfoClaims = client
        .user_info(tokens.access_token().clone(), Some(claims.subject().clone()))
        .expect("a userinfo endpoint")
        .request(&call)
        .expect("userinfo");
    let refreshed = tokens.refresh_token().map(|token| {
        let renewed = client.exchange_refresh_token(token).expect("a token endpoint").request(&call).expect("tokens");
        renewed.access_token().secret() != tokens.access_token().secret()
    });
    let scopes: Vec<String> = tokens.scopes().into_iter().flatten().map(|scope| scope.to_string()).collect();
    println!(
        "{}",
        serde_json::json!({
            "sub": claims.subject().as_str(),
            "email": userinfo.email().map(|email| email.as_str()),
            "scope": scopes.join(" "),
            "refreshed": refreshed.unwrap_or(false),
            "id_token": id_token.to_string(),
        })
    );
}
