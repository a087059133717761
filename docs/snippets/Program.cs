// dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = {{issuer}};
        options.ClientId = {{clientId}};
        options.ClientSecret = builder.Configuration["CLIENT_SECRET"];
        options.ResponseType = "code";
        options.ResponseMode = "query";
        options.CallbackPath = {{callbackPath}};
        options.SaveTokens = true;
        options.GetClaimsFromUserInfoEndpoint = true;
{{#pushes}}
        options.PushedAuthorizationBehavior = PushedAuthorizationBehavior.Require; // since .NET 9
{{/pushes}}
{{#insecure}}
        options.RequireHttpsMetadata = false; // for localhost only
{{/insecure}}
{{#moreScopes}}
        options.Scope.Add({{item}});
{{/moreScopes}}
    });
builder.Services.AddAuthorization();

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/", async (HttpContext context) =>
{
    var token = await context.GetTokenAsync("access_token");
    return $"Hello {context.User.Identity?.Name}: {token?.Length} characters for the API";
}).RequireAuthorization();
app.Run({{#localOrigin}}{{localOrigin}}{{/localOrigin}});
