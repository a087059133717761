import type { Messages } from '../types.ts';

export const refusalsPtBR: Pick<
  Messages,
  'address' | 'delegation' | 'own_account' | 'password' | 'second_step' | 'link'
> = {
  address: {
    change_gone:
      'Estes códigos foram usados, são antigos demais ou foram digitados errados vezes demais. Comece de novo.',
    code_digits: 'Um código tem seis dígitos.',
    code_wrong: 'Um dos dois códigos está errado.',
    configured: 'O arquivo de configuração descreve você: peça que o seu endereço seja alterado lá.',
    none: 'Não há aqui nenhum endereço para alterar.',
    none_to_verify: 'Não há aqui nenhum endereço para confirmar.',
    same: 'Este já é o seu endereço.',
    taken: 'Nesse meio-tempo, este endereço passou a ter uma conta própria.',
  },
  delegation: {
    gone: 'O direito deste agente já terminou.',
    no_agent: 'Este agente não pode agir por ninguém ali, ou não pode mais.',
    scopes: 'Deve ser algo que o agente possa fazer ali.',
    too_many: 'Uma pessoa tem no máximo {most} agentes: encerre um primeiro.',
    until_far: 'O último dia não pode estar a mais de {days} dias.',
    until_past: 'O último dia deve estar por vir.',
  },
  own_account: {
    device_name: 'O nome deve ter no máximo 60 caracteres.',
    consent_gone: 'Este consentimento já foi revogado.',
    gone: 'Sua conta não existe mais.',
    language: 'Deve ser um idioma, por exemplo de ou pt-BR.',
    link_gone: 'Este link já foi usado ou é antigo demais. Peça outro.',
    picture: 'Deve ser um endereço https:// de no máximo 2048 caracteres, sem nome nem senha.',
    session_gone: 'Esta sessão já terminou.',
    signed_out: 'Sua sessão terminou. Entre de novo.',
    too_many_mails: 'E-mails demais. Espere um pouco e tente de novo.',
    word: 'Digite a palavra delete.',
    zone: 'Deve ser um fuso horário, por exemplo Europe/Berlin.',
  },
  password: {
    no_method: 'Aqui ninguém entra com senha.',
    none: 'Não há aqui senha para alterar: você entra por outro serviço.',
    same: 'Esta é a senha que você já tem.',
    wrong: 'Esta não é a sua senha.',
  },
  second_step: {
    apps_full: 'Você tem cinco aplicativos autenticadores, que é o máximo. Remova um primeiro.',
    app_changed: 'Seu aplicativo foi substituído ou removido nesse meio-tempo: abra esta página de novo.',
    app_gone: 'Este aplicativo já foi removido.',
    at_console: 'Isso é feito nas páginas da sua conta.',
    browser_gone: 'Este navegador já foi esquecido.',
    codes_alone:
      'Os códigos de recuperação substituem uma chave de acesso ou um aplicativo: configure um deles primeiro.',
    due: 'Agora é preciso um segundo fator: configure um.',
    none: 'O seu método de entrada não tem aqui um segundo fator.',
    passkey_gone: 'Esta chave de acesso já foi removida.',
    passkey_name: 'O nome deve ter de 1 a 60 caracteres.',
  },
  link: {
    must_change: 'Sua senha precisa ser alterada primeiro.',
    no_longer_there: 'Esse método de entrada não existe mais. Escolha outro.',
    too_many: 'Entradas demais a partir da sua rede. Aguarde um pouco e tente de novo.',
    at_console: 'Para isso, entre nas páginas da sua conta.',
    gone: 'Este método de entrada já foi removido.',
    has_password:
      'Essa entrada pertence a uma conta com senha. Entre com ela e adicione lá este método de entrada.',
    has_second_step:
      'Essa entrada pertence a uma conta com um segundo fator próprio. Entre com ela e remova esse fator primeiro.',
    in_use: 'Você está conectado por ele agora. Entre de outra forma e depois remova-o.',
    last: 'É o único método de entrada que você tem.',
    other_name: 'Você já entra lá com outro nome. Remova-o primeiro.',
    proof_old: 'Essa entrada é antiga demais ou pertence a outra sessão daqui. Comece de novo.',
    silent: 'Esse serviço não está respondendo. Tente de novo daqui a pouco.',
    taken: 'Este método de entrada já é seu, ou não existe mais.',
    wrong: 'O nome de usuário ou a senha não está correto.',
    yours: 'Este método de entrada já é seu.',
  },
};
