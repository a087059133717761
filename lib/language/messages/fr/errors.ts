export const errorsFr = {
  errors: {
    another_browser:
      'Il est incomplet ou a été ouvert dans un autre navigateur. Retournez à l’application et recommencez.',
    cannot_show:
      'Nous ne pouvons pas afficher cette page pour le moment. Attendez un peu, puis rechargez-la.',
    elsewhere_or_late:
      'La connexion a été commencée dans un autre navigateur ou il y a plus de dix minutes. Retournez à l’application et recommencez.',
    expired: 'Cette connexion a expiré',
    expired_lead: 'Plus de dix minutes se sont écoulées. Retournez à l’application et recommencez.',
    form: 'Ce formulaire n’est plus valable',
    form_lead:
      'Il a été envoyé depuis une autre page ou un autre navigateur, ou quelqu’un d’autre s’est connecté depuis. Retournez à l’application et recommencez.',
    link: 'Ce lien de connexion ne fonctionne pas',
    mistyped: 'L’adresse est mal saisie, ou ce qui était ici n’existe plus.',
    moment: 'Un instant, s’il vous plaît',
    no_cookies:
      'Il a été ouvert dans un autre navigateur, ou celui-ci ne conserve pas les cookies de ce site. Autorisez-les, puis retournez à l’application et recommencez.',
    no_page: 'Page introuvable',
    no_return: 'Le lien n’indique pas où retourner. Signalez-le à la personne qui vous l’a donné.',
    nothing_here:
      'Cette adresse n’existe pas. Vérifiez le lien ou signalez-le à la personne qui vous l’a donné.',
    not_available: 'Indisponible pour le moment',
    not_opened_so: 'Cela ne peut pas être ouvert de cette façon. Retournez à l’application et recommencez.',
    pushed_request:
      'Le lien de cette connexion a déjà été utilisé, est trop ancien ou a été modifié. Retournez à l’application et recommencez.',
    service_unavailable: 'Le service n’est pas disponible pour le moment. Réessayez dans un instant.',
    sign_out_link: 'Ce lien de déconnexion ne fonctionne pas',
    sign_out_link_lead: 'Personne n’a été déconnecté. Retournez à l’application et réessayez.',
    slow_lead:
      'Votre navigateur a mis trop de temps à envoyer ces données : elles n’ont pas été lues. Revenez en arrière et envoyez-les de nouveau.',
    started_elsewhere: 'Cette adresse est une étape d’une connexion commencée ailleurs.',
    started_elsewhere_or_late:
      'Cette connexion a été commencée ailleurs ou il y a trop longtemps. Retournez à l’application et recommencez.',
    too_much: 'Votre navigateur a envoyé trop de données',
    too_much_lead:
      'La cause est le plus souvent les cookies que d’autres sites de ce domaine ont enregistrés. Supprimez les cookies de ce domaine dans les paramètres de votre navigateur, puis retournez à l’application et recommencez.',
    two_applications: 'Le lien nomme son application plus d’une fois.',
    two_returns: 'Le lien nomme plus d’une adresse de retour.',
    unknown_application: 'L’application qui vous a envoyé ici n’est pas connue ou n’est plus utilisée.',
    unnamed_application:
      'Le lien n’indique pas de quelle application il vient. Signalez-le à la personne qui vous l’a donné.',
    unreadable: 'Cette adresse est illisible',
    unreadable_lead:
      'Elle contient un caractère non autorisé dans un texte. Vérifiez-la ou recommencez depuis la première page.',
    unregistered_return: 'Le lien mènerait à une adresse qui n’est pas enregistrée pour cette application.',
    used_step:
      'Vous êtes revenu à une partie d’une connexion qui a déjà été utilisée. Vous pouvez continuer d’ici.',
    wrong: 'Une erreur s’est produite',
    wrong_lead:
      'Une erreur s’est produite de notre côté. Indiquez à l’exploitant l’identifiant de la requête.',
  },
  agent: {
    unreachable:
      'L’application qui vous a envoyé ici ne peut pas être contactée en ce moment pour confirmer son identité. Réessayez dans un instant.',
    asks_for: 'Elle demande',
    application: 'Application',
    blocked: 'Cette application est bloquée',
    blocked_lead: 'Les responsables de ce service l’ont bloquée. Rien ne lui a été communiqué.',
    from: 'De',
    full: 'De nombreuses applications attendent déjà une décision. Réessayez quand certaines auront été traitées.',
    full_day: 'Vous avez fait une demande pour de nombreuses applications aujourd’hui. Réessayez demain.',
    full_host:
      'Plusieurs applications du même hôte attendent déjà une décision. Réessayez quand certaines auront été traitées.',
    full_person:
      'Vous avez déjà fait une demande pour plusieurs applications qui attendent encore une décision. Attendez d’abord celles-là.',
    improper:
      'L’application qui vous a envoyé ici ne s’identifie pas correctement. Signalez-le aux personnes qui l’ont créée.',
    look_again: 'Regarder de nouveau',
    many: 'Trop de demandes sont en attente',
    not_approved: 'Cette application n’a pas été approuvée',
    not_approved_lead:
      'Les responsables de ce service s’y sont opposés. Adressez-vous à eux si vous pensez qu’elle devrait être utilisée ici.',
    not_for_you: 'Vous ne pouvez pas utiliser cette application ici',
    not_for_you_lead:
      '{client} peut utiliser {api} pour certaines personnes, et le compte avec lequel vous êtes connecté n’en fait pas partie. Rien n’a été communiqué. Adressez-vous aux responsables de {api} si vous en avez besoin ; s’ils viennent de vous donner accès, connectez-vous de nouveau.',
    not_listed: 'Cette application ne peut pas être utilisée ici',
    not_listed_lead:
      'Seules les applications de certains hôtes peuvent demander l’accès à ce service, et celle-ci n’en fait pas partie. Personne n’a été sollicité et rien n’a été communiqué.',
    returns_to: 'Retourne à',
    revoked: 'Cette application ne peut plus être utilisée',
    revoked_lead:
      'Son approbation a été révoquée. Adressez-vous aux responsables de ce service si vous en avez besoin.',
    sign_in_again: 'Se connecter de nouveau',
    suspended: 'Cette application est suspendue',
    suspended_lead:
      'Elle ne peut pas être utilisée ici pour le moment. Réessayez plus tard ou adressez-vous aux responsables de ce service.',
    waiting: 'En attente d’approbation',
    waiting_lead:
      '{client} demande l’accès à {api}, et l’un de ses responsables doit d’abord l’approuver. Ils ont été prévenus. Gardez cette page ouverte, ou recommencez plus tard depuis l’application : vous pourrez continuer dès qu’ils auront décidé.',
  },
};
