/**
 * Frequent words of languages in Latin letters, without accents, as `wordsOf` returns them. `sure` words are frequent
 * in few languages and rare in English; `weak` words are also English words, names or parts of names.
 */
export interface FunctionWords {
  readonly sure: string;
  readonly weak: string;
}

export const FUNCTION_WORDS = {
  de: {
    sure: `der das und ist nicht ich du er sie wir ihr es ein eine einen einem einer eines mit fur auf aus bei nach vom zum
      zur dem wie wo wann warum wer wen wem welche welcher welches kann konnen muss mussen soll wird werden wurde wurden
      hatte haben habe sind sein seine seinen seiner mein meine meinen meiner meinem unser unsere unseren dein deine auch
      noch nur schon sehr aber oder wenn dass weil uber unter kein keine keinen mich mir dich dir uns euch sich heute
      gestern morgen immer wieder jetzt dort ganz viel gibt geht macht gern gerne durch gegen ohne zwischen etwas nichts
      alles unserem unserer ihre ihren ihrem zwei drei vier diese dieser dieses`,
    weak: `die was war hat will am an so also in man im den des als bis von alle hier mag mehr vor ins tut`,
  },
  fr: {
    sure: `les du une est pas que qui dans avec sont mais nous vous ils elle elles je tu mon mes ses leur leurs notre votre
      cette cet ces tres aussi fait etre avoir avait etait suis sommes etes avons avez quand comment pourquoi quel quelle
      quels quelles chez vers entre depuis encore toujours jamais aujourd hui hier demain tous toute toutes rien peut peux
      dois doit faut aller vais y deux trois parce nos vos`,
    weak: `le la des pour sur au aux plus sans sous bien tout va et en un il ne se te ce de qu son sa ma ont comme fais a ou ai as`,
  },
  es: {
    sure: `que y una para se su sus lo mas pero muy sobre este esta estos estas ese esa eso hay fue era eran ser soy
      eres somos estoy estan mis tus nuestro nuestra nuestros nuestras cuando donde quien quienes cual cuales porque
      tambien todo todos toda todas nada algo siempre nunca hoy ayer manana aqui alli desde hasta entre cada otro
      otra tiene tengo tienen tenemos puede puedo quiero quiere gusta hacer hace yo ella ellos nosotros usted les
      nos cuanto cuantos dos tres es`,
    weak: `el la los las de del en un por con al como sin ha han mi tu le te son trabaja vive ya`,
  },
  pt: {
    sure: `um uma que nao mais mas foi ser sou somos sao esta estao estou tem tenho temos ter ao aos pelo pela seu
      sua seus suas meu minha meus minhas nosso nossa nossos nossas dele dela isso isto esse essa quando onde quem
      qual quais porque tambem ja muito muita todo todos tudo nada sempre nunca hoje ontem amanha aqui desde voce
      voces eu ele ela eles elas gosto gosta fazer faz vou pode posso quero quer sem nas das dois tres`,
    weak: `o os da dos de e por para com como era vai a do no na nos ate se em`,
  },
  it: {
    sure: `lo gli uno di che non della dei delle degli dal dalla nel nella nei nelle sul sulla alla alle sono siamo
      siete era erano essere ho hai abbiamo avete hanno mio mia miei mie tuo tua suo sua nostro nostra nostri nostre
      quando dove chi cosa quale quali perche anche piu molto molta tutto tutti tutta tutte niente sempre mai oggi
      ieri domani qui questa questo questi queste quella quello mi fare posso puo vuole voglio piace io lui noi loro
      senza tra dell`,
    weak: `il la le un una per con del al ai sei ha come si se da fa lei a ma i e ti ci`,
  },
  nl: {
    sure: `het een dat niet zijn ik jij je hij zij ze wij met voor aan er om ook maar naar bij uit nog wel geen
      worden wordt werd waren hebben heeft heb kan kunnen moet moeten zal zullen mijn jouw haar onze ons deze dit
      waar wanneer waarom wie wat hoe welke altijd nooit vandaag gisteren morgen daar alles iets niets veel zeer tot
      tegen onder tussen zonder gaat doet`,
    weak: `de en van is in op te als door die was had al of ga doe hier meer over dan hun`,
  },
  sv: {
    sure: `och att det ett jag du hon inte med av till fran nar har hade varit vara blir blev ska skulle mitt mina ditt sitt
      hans hennes vart vad vem hur varfor vilken vilket ocksa bara mycket mer alla allt inget ingen alltid aldrig idag igar
      imorgon mellan utan hos efter eller dar detta dessa denna pa ar`,
    weak: `en han vi de som for om men sa var kan den min din sin under da`,
  },
  da: {
    sure: `og det et jeg du hun ikke med pa til fra nar har havde vaeret vaere bliver blev skal skulle mit dit hans hendes hvad
      hvem hvor hvornar hvorfor hvordan hvilken ogsa kun meget mere alle altid aldrig idag igar imorgen mellem uden
      hos efter eller dette disse denne`,
    weak: `en han vi de der at for af om men sa var kan den min din sin er som intet ingen under da alt`,
  },
  no: {
    sure: `og det et ei jeg du hun ikke med pa til fra nar har hadde vaert vaere blir ble skal skulle mitt ditt hans hennes hva
      hvem hvor hvorfor hvordan hvilken ogsa bare mye mer alle alltid aldri idag igar imorgen mellom uten hos etter eller
      dette disse denne noe noen ingenting`,
    weak: `en han vi de at for av om men sa var kan den min din sin er som ingen under da alt`,
  },
  fi: {
    sure: `ja ei se mina sina ovat oli olen olet olemme ole eivat kun etta mutta myos niin kuin jos vai tai joka jotka mika
      mita missa milloin miksi kuka kenen miten minun sinun hanen meidan teidan heidan tama taman nama tuo sita siita sen
      kaikki paljon hyvin vain viela nyt tanaan eilen huomenna aina koskaan kanssa ilman ennen jalkeen meilla minulla
      hanella`,
    weak: `on han he me te jo`,
  },
  hu: {
    sure: `nem hogy egy volt lesz vagy ez azt ezt csak mar ti engem nekem neked minden sok nagyon tegnap holnap
      mindig soha hol mikor miert mit melyik hogyan kell lehet szeret vannak voltak mint`,
    weak: `az van a is de te ma most es mi en ha ok meg ki`,
  },
  ro: {
    sure: `si pe cu este sunt care pentru dar eu noi voi avem aveti era fost meu mea mei mele tau lui unde cand cine
      foarte mult tot toti toate nimic mereu niciodata azi ieri maine aici acolo fara intre dupa pana nostru noastra`,
    weak: `in la de nu un o ce din mai ca tu el ea ei ele am are au fi ta cum cat ai sau`,
  },
  tr: {
    sure: `ve bir icin ile ben sen biz siz onlar benim senin onun bizim degil yok cok daha ama gibi kadar sonra
      nasil nerede neden hangi zaman bugun dun yarin simdi hep hic olarak olan oldu`,
    weak: `bu da de ne mi o var kim her once`,
  },
} as const satisfies Readonly<Record<string, FunctionWords>>;

/** Languages in Latin letters that are told apart by their words, by ISO 639-1. */
export type LatinLanguage = keyof typeof FUNCTION_WORDS;

/** Languages without a stemmer, which would otherwise be taken for others. */
export const OTHER_WORDS: readonly string[] = [
  `nie jest sie ze jak ale czy po tak za od przez jestem mam moj moja gdzie kiedy dlaczego bardzo dzisiaj wczoraj jutro do na
    to i z w`,
  `je na se ze pro jsem jsi jsme byl byla kde kdy proc co jak ale velmi dnes vcera zitra muj moje som sme bol kto preco to s v`,
  `je na se su sam si smo bio bila gdje gde kada zasto sto kako ali vrlo danas jucer sutra moj moja i u za od da`,
  `yang dan di ini itu dengan untuk tidak ada saya kamu dia kami mereka akan pada dari ke adalah sudah`,
];

/** English words beside the stop words, so frequent that a text with them is English. */
export const ENGLISH_WORDS = `also always another back called cannot come could day days does done every few first friend get
  gets getting go goes going good got great happy home hey hi house just know last let like likes lives long look love made
  make makes many may maybe might mine much need never new next nice now off old one people please really right said say see
  since someone something still sure take tell thank thanks thing things think time today together tomorrow tonight took
  two us use used want wants week weeks well went work works would year years yes yesterday yet`;
