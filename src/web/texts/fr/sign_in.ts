// French: the texts of the sign-in pages.
import type { signIn as english } from "../en/sign_in.ts";

export const signIn: typeof english = {
  title: "Connexion",
  again:
    "Votre session a pris fin. Connectez-vous avec votre clé d’API pour continuer ; votre saisie est conservée.",
  key: {
    title: "Avec une clé d’API",
    label: "Clé d’API",
    hint: "Elle commence par rgf_ et figure dans votre e-mail de bienvenue.",
    submit: "Se connecter",
  },
  email: {
    title: "Avec votre adresse e-mail",
    label: "Adresse e-mail",
    hint: "Vous recevrez un e-mail avec un lien de connexion.",
    submit: "Envoyer un lien",
  },
  oidc: {
    title: "Authentification unique",
    text: "Pour les exploitants de ce service.",
    submit: (name) => `Continuer avec ${name}`,
    submitUnnamed: "Continuer avec l’authentification unique",
    failedTitle: "L’authentification unique a échoué",
    faults: {
      unreachable:
        "Le service de connexion de votre organisation ne répond pas comme prévu. Réessayez dans une minute. Si cela ne suffit pas, le journal de Regfeed indique la cause.",
      cancelled:
        "Le service de connexion de votre organisation a refusé la connexion, ou celle-ci y a été annulée.",
      state:
        "La réponse ne correspond à aucune connexion commencée dans ce navigateur au cours des dix dernières minutes. Recommencez.",
      code:
        "Le service de connexion de votre organisation n’a pas accepté son propre code, qui a peut-être expiré. Recommencez.",
      signature: "La signature de la réponse n’est pas valable ; la réponse a donc été refusée.",
      issuer:
        "La réponse provient d’un autre service de connexion que celui qui est configuré ; elle a donc été refusée.",
      audience: "La réponse est destinée à une autre application ; elle a donc été refusée.",
      nonce: "La réponse correspond à une autre connexion ; elle a donc été refusée. Recommencez.",
      expired:
        "La réponse a expiré, ou les horloges des deux services diffèrent. Recommencez et, si cela ne suffit pas, comparez les horloges.",
      token: "La réponse n’est pas valable et a été refusée. Le journal de Regfeed indique la cause.",
      not_operator:
        "Vous êtes connecté auprès de votre organisation, mais vous n’êtes pas exploitant de ce service. Demandez à l’administrateur de vous ajouter à un groupe d’exploitants.",
    },
  },
  operatorHint: "Exploitez-vous ce service ? Cette commande affiche un lien de connexion :",
  problems: {
    unknown: "Aucun client ne possède cette clé d’API. Vérifiez que vous l’avez copiée en entier.",
    replaced:
      "Cette clé d’API a été remplacée ou désactivée. Utilisez votre clé la plus récente ou demandez-en une à l’exploitant.",
    unpaid:
      "La clé est valable, mais votre accès a pris fin faute de paiement. Il sera rétabli dès réception du paiement.",
    disabled: "La clé est valable, mais l’exploitant a désactivé votre accès. Contactez l’exploitant.",
    limited: "Trop de tentatives depuis votre réseau. Attendez une minute, puis réessayez.",
    email: "Ce n’est pas une adresse e-mail. Saisissez une adresse telle que ana@example.org.",
  },
  requested: {
    title: "Consultez votre messagerie",
    text: (email) =>
      `Si un client de ce service possède l’adresse e-mail ${email}, un lien lui a été envoyé.`,
    next:
      "Le lien est utilisable une seule fois, dans les 15 minutes. Si aucun e-mail n’arrive, vérifiez les courriers indésirables et l’orthographe.",
  },
  resumeTitle: "Vous êtes connecté",
  resumeText: "Votre saisie est conservée. Continuez pour la vérifier et l’envoyer.",
  signedOut: "Vous êtes déconnecté.",
  link: {
    title: "Connexion",
    customer: "Ce lien vous connecte à la console.",
    operator: (name) => `Ce lien vous connecte en tant qu’exploitant ${name}.`,
    submit: "Se connecter",
    invalidTitle: "Ce lien n’est plus valable",
    invalidText:
      "Un lien est utilisable une seule fois, dans les 15 minutes. Il a peut-être déjà été utilisé ou a expiré.",
    again: "Se reconnecter",
  },
  sessions: {
    title: "Sessions",
    lead:
      "Les appareils sur lesquels vous êtes connecté. Une session prend fin après 12 heures sans utilisation, et au plus tard après 7 jours.",
    operatorLead:
      "Les appareils sur lesquels des exploitants sont connectés. Une session prend fin après 12 heures sans utilisation, et au plus tard après 7 jours.",
    columns: {
      device: "Appareil",
      operator: "Exploitant",
      method: "Connecté avec",
      address: "Adresse IP",
      signedIn: "Début",
      lastSeen: "Dernière utilisation",
      end: "Terminer",
    },
    methods: { key: "Clé d’API", link: "Lien à usage unique", oidc: "Authentification unique" },
    current: "celle-ci",
    unknownDevice: "Appareil inconnu",
    endOf: (device) => `Terminer la session : ${device}`,
    endOthers: "Terminer toutes mes autres sessions",
    ended: (count) =>
      count === 0
        ? "Il n’y avait aucune autre session à terminer."
        : count === 1
        ? "1 session a été terminée."
        : `${count} sessions ont été terminées.`,
  },
};
