export const errorsPtBR = {
  errors: {
    another_browser:
      'Ele está incompleto ou foi aberto em outro navegador. Volte ao aplicativo e comece de novo.',
    cannot_show: 'Não podemos mostrar esta página no momento. Espere um pouco e recarregue-a.',
    elsewhere_or_late:
      'Ela foi iniciada em outro navegador ou há mais de dez minutos. Volte ao aplicativo e comece de novo.',
    expired: 'Esta entrada expirou',
    expired_lead: 'Passaram-se mais de dez minutos. Volte ao aplicativo e comece de novo.',
    form: 'Este formulário não é mais válido',
    form_lead:
      'Ele foi enviado de outra página ou de outro navegador, ou outra pessoa entrou desde então. Volte ao aplicativo e comece de novo.',
    link: 'Este link de entrada não funciona',
    mistyped: 'O endereço foi digitado errado, ou o que estava aqui não existe mais.',
    moment: 'Um momento, por favor',
    no_cookies:
      'Ele foi aberto em outro navegador, ou este não guarda os cookies deste site. Permita-os, volte ao aplicativo e comece de novo.',
    no_page: 'Página não encontrada',
    no_return: 'O link não diz para onde voltar. Avise quem o deu a você.',
    nothing_here: 'Este endereço não existe. Verifique o link ou avise quem o deu a você.',
    not_available: 'Indisponível no momento',
    not_opened_so: 'Não é possível abrir desta forma. Volte ao aplicativo e comece de novo.',
    pushed_request:
      'O link desta entrada já foi usado, é antigo demais ou foi alterado. Volte ao aplicativo e comece de novo.',
    service_unavailable: 'O serviço não está disponível no momento. Tente novamente daqui a pouco.',
    sign_out_link: 'Este link de saída não funciona',
    sign_out_link_lead: 'Ninguém foi desconectado. Volte ao aplicativo e tente novamente.',
    slow_lead:
      'Seu navegador demorou demais para enviar os dados, e eles não foram lidos. Volte e envie-os de novo.',
    started_elsewhere: 'Este endereço é uma etapa de uma entrada iniciada em outro lugar.',
    started_elsewhere_or_late:
      'Esta entrada foi iniciada em outro lugar ou há tempo demais. Volte ao aplicativo e comece de novo.',
    too_much: 'Seu navegador enviou dados demais',
    too_much_lead:
      'Em geral, a causa são os cookies que outros sites deste domínio guardaram. Exclua os cookies deste domínio nas configurações do navegador, volte ao aplicativo e comece de novo.',
    two_applications: 'O link indica o aplicativo mais de uma vez.',
    two_returns: 'O link indica mais de um endereço de retorno.',
    unknown_application: 'O aplicativo que enviou você para cá não é conhecido ou não está mais em uso.',
    unnamed_application: 'O link não diz de qual aplicativo ele é. Avise quem o deu a você.',
    unreadable: 'Este endereço não pode ser lido',
    unreadable_lead:
      'Ele contém um caractere que não é permitido em textos. Verifique-o ou comece de novo pela primeira página.',
    unregistered_return: 'O link voltaria a um endereço que não está registrado para este aplicativo.',
    used_step: 'Você voltou a uma parte de uma entrada que já foi usada. Você pode continuar daqui.',
    wrong: 'Algo deu errado',
    wrong_lead: 'Algo deu errado do nosso lado. Informe ao operador o ID da solicitação.',
  },
  agent: {
    unreachable:
      'No momento não é possível perguntar ao aplicativo que enviou você para cá quem ele é. Tente de novo em instantes.',
    asks_for: 'Ele pede',
    application: 'Aplicativo',
    blocked: 'Este aplicativo está bloqueado',
    blocked_lead: 'Quem cuida deste serviço o bloqueou. Nada foi compartilhado com ele.',
    from: 'De',
    full: 'Muitos aplicativos já esperam uma decisão. Tente novamente quando alguns estiverem decididos.',
    full_day: 'Você pediu muitos aplicativos hoje. Tente novamente amanhã.',
    full_host:
      'Vários aplicativos do mesmo host já esperam uma decisão. Tente novamente quando alguns estiverem decididos.',
    full_person:
      'Você já pediu vários aplicativos sobre os quais ninguém decidiu. Espere primeiro por esses.',
    improper: 'O aplicativo que enviou você para cá não diz corretamente quem é. Avise quem o fez.',
    look_again: 'Olhar de novo',
    many: 'Há solicitações demais em espera',
    not_approved: 'Este aplicativo não foi aprovado',
    not_approved_lead:
      'Quem cuida deste serviço decidiu não aprová-lo. Fale com eles se você acha que ele deveria ser usado aqui.',
    not_for_you: 'Você não pode usar este aplicativo aqui',
    not_for_you_lead:
      '{client} pode usar {api} para determinadas pessoas, e a conta com a qual você entrou não é uma delas. Nada foi compartilhado. Fale com quem cuida de {api} se você precisar; se acabaram de liberar seu acesso, entre novamente.',
    not_listed: 'Este aplicativo não pode ser usado aqui',
    not_listed_lead:
      'Somente aplicativos de determinados hosts podem pedir acesso a este serviço, e este não é um deles. Ninguém foi consultado e nada foi compartilhado.',
    returns_to: 'Volta para',
    revoked: 'Este aplicativo não pode mais ser usado',
    revoked_lead: 'Sua aprovação foi revogada. Fale com quem cuida deste serviço se você precisar dele.',
    sign_in_again: 'Entrar novamente',
    suspended: 'Este aplicativo está suspenso',
    suspended_lead:
      'Ele não pode ser usado aqui por enquanto. Tente mais tarde ou fale com quem cuida deste serviço.',
    waiting: 'Aguardando aprovação',
    waiting_lead:
      '{client} quer acesso a {api}, e alguém que cuida disso precisa aprovar antes. Eles já foram avisados. Mantenha esta página aberta ou comece de novo mais tarde pelo aplicativo: você pode continuar assim que houver uma decisão.',
  },
};
