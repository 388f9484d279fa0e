import type { Words } from './en.ts';

export const es: Words = {
  counts: {
    attempts: 'intentos',
    busies: 'ocupados',
    connects: 'conexiones',
    liveAnswers: 'respuestas en vivo',
  },
  campaigns: { one: 'campaña', many: 'campañas' },
  accounts: { one: 'cuenta', many: 'cuentas' },
  days: { one: 'día', many: 'días' },
  partOfAttempts: (part, attempts) => `${part} de ${attempts} intentos`,
  shareOfAttempts: (rate) => `${rate} de los intentos`,
  someOf: (some, all) => `${some} de ${all}`,
  more: (count) => `${count} más`,
  notReported: 'sin datos del servicio',
  notLoaded: 'sin cargar',
  incompleteDay: 'faltan datos',
  corrected: 'cifras corregidas',
  provisionalDay: 'provisional',
  lackingDays: (days) => `faltan datos de ${days}`,
  provisionalDays: (days) => `${days} con cifras provisionales`,
  overDays: (some, all) => `en ${some} de ${all}`,
  weekOf: (days) => `semana del ${days.replace('–', ' al ')}`,
  openDashboard: 'Abrir el panel',
  period: {
    the: { day: 'del día', week: 'de la semana', month: 'del mes' },
    that: { day: 'ese día', week: 'esa semana', month: 'ese mes' },
    campaignsOf: { day: 'del día', week: 'de cada día de la semana', month: 'de cada día del mes' },
  },

  subject: {
    corrected: 'Corregido',
    incomplete: 'Incompleto',
    provisional: 'Provisional',
    connected: (rate) => `${rate} de conexión`,
    nothingLoaded: 'sin datos cargados',
    noAttempts: 'sin llamadas',
    noneSoFar: 'sin llamadas por ahora',
    attemptsNotReported: 'intentos sin datos del servicio',
    connectsNotReported: 'conexiones sin datos del servicio',
  },

  tiles: {
    connectRate: 'Tasa de conexión',
    attempts: 'Intentos',
    liveAnswers: 'Respuestas en vivo',
    idle: (campaigns, idle) => `${campaigns}; ${idle} sin llamadas`,
  },
  points: (points) => `${points} puntos`,
  noChange: 'sin cambios',
  vs: (basis) => `frente a ${basis}`,
  perDayVs: (basis) => `por día con llamadas frente a ${basis}`,
  basis: {
    typical: (weekday) => `un ${weekday} normal`,
    fourWeeks: 'las cuatro semanas anteriores',
  },
  compared: {
    some: (basis, accounts) =>
      `Comparación con ${basis}, solo para las cuentas con datos completos: ${accounts}.`,
    none: (basis) => `Sin comparación con ${basis}: no hay suficientes datos cargados.`,
  },

  insight: {
    busier: {
      day: (basis) => `Más actividad que ${basis}`,
      week: (basis) => `Más actividad que en ${basis}`,
      month: (basis) => `Más intentos al día que en ${basis}`,
    },
    quieter: {
      day: (basis) => `Menos actividad que ${basis}`,
      week: (basis) => `Menos actividad que en ${basis}`,
      month: (basis) => `Menos intentos al día que en ${basis}`,
    },
    higherRate: {
      day: (basis) => `Tasa de conexión más alta que la de ${basis}`,
      week: (basis) => `Tasa de conexión más alta que en ${basis}`,
      month: (basis) => `Tasa de conexión más alta que en ${basis}`,
    },
    lowerRate: {
      day: (basis) => `Tasa de conexión más baja que la de ${basis}`,
      week: (basis) => `Tasa de conexión más baja que en ${basis}`,
      month: (basis) => `Tasa de conexión más baja que en ${basis}`,
    },
    mostly: (sentence, name, by) => `${sentence}, sobre todo por ${name} (${by})`,
    new: 'nueva',
    began: (day) => `empezó el ${day}`,
    ended: (day) => `terminó el ${day}`,
  },

  tables: {
    columns: {
      campaign: 'Campaña',
      account: 'Cuenta',
      period: 'Periodo',
      day: 'Día',
      attempts: 'Intentos',
      connects: 'Conexiones',
      connected: 'Conexión',
      live: 'En vivo',
      busy: 'Ocupado',
      typical: 'Lo normal',
      before: 'Antes',
    },
    lastDays: (count) => `Los últimos ${count} días`,
    twoWeeks: 'La semana y la anterior',
    dayByDay: 'Día a día',
    earlier: 'Periodos anteriores y correcciones',
    toDate: 'Acumulado',
    weekToDate: 'Esta semana',
    monthToDate: 'Este mes',
    accounts: 'Cuentas',
    movedAccounts: 'Cuentas con mayores cambios',
    movers: 'Campañas con mayores cambios',
    campaigns: 'Campañas',
    topTen: 'Las diez campañas con más intentos',
    extremeRates: 'Tasas de conexión más altas y más bajas',
    bestAndWorst: (best, worst) => `Tasa de conexión más alta: ${best}. Más baja: ${worst}.`,
  },

  notes: {
    corrected: (that) => `Corregido: este resumen sustituye al que se envió sobre ${that}.`,
    sameSums: 'Los totales son los mismos; han cambiado algunas campañas.',
    incomplete: (the) => `Incompleto: falta una parte ${the}.`,
    allMissing: (the) => `Incompleto: todavía no hay datos ${the}.`,
    provisional: 'Provisional: estas cifras todavía no están confirmadas.',
    provisionalFollows: 'Se enviará un resumen corregido si cambian.',
    notOver: 'el día aún no había terminado',
    daysLacking: (days) => `${days} sin cargar o sin terminar`,
    correctedFollows: 'Se enviará un resumen corregido en cuanto se carguen los datos que faltan.',
  },
  provisional: {
    announced: (campaigns, listed) => `el servicio anunció ${campaigns}, pero solo envió ${listed}`,
    unreadable: 'algunos registros o recuentos no se pudieron leer',
    error: (text) => `el servicio devolvió un error: «${text}»`,
    unreported: (counts) => `en la mayoría de las campañas faltan los datos de ${counts}`,
    noCalls: 'sin llamadas, en un día de la semana en que suele haberlas',
    sameCampaigns:
      'las mismas campañas y cifras que otra cuenta, así que probablemente se cuentan más de una vez',
  },
  empty: {
    noCampaigns: (that) => `Sin llamadas: el servicio no tiene campañas de ${that}.`,
    noAttempts: 'Sin llamadas: ninguna campaña hizo intentos.',
    noneSoFar: 'Sin llamadas en los datos cargados hasta ahora.',
    nothingLoaded: (that) => `Todavía no hay datos cargados de ${that}.`,
  },

  attention: {
    heading: 'Requiere atención',
    pointer: (titles) => `Requiere atención: ${titles}`,
    restated: 'Cambios desde el último resumen',
    sameSums: 'los mismos totales',
    held: 'Cambios sin confirmar',
    heldSince: (time) =>
      `el ${time}, el servicio envió cifras muy distintas. Las anteriores se mantienen hasta que las confirme.`,
    provisional: 'Cifras provisionales',
    newClients: 'Clientes nuevos',
    vanishedClients: 'Clientes que ya no aparecen',
    stillHeld: (days) => `Cambios todavía sin confirmar: ${days}.`,
    unreported: (what) =>
      `Datos que el servicio no facilita y que no se incluyen en totales ni tasas: ${what}.`,
    unreportedOf: (count, some, campaigns) => `${count} en ${some} de ${campaigns}`,
    balances: { one: 'saldo', many: 'saldos' },
    lowBalances: (balances, limit) => `${balances} por debajo de ${limit}`,
    newOnes: (all, count, names) => `${all}, ${count} de ellos desde el último resumen: ${names}`,
  },

  closing: {
    completeThrough: (day) => `Completo hasta el ${day}.`,
    incomplete: 'Todavía incompleto.',
    updated: (time) => `Actualizado: ${time}.`,
    csv: (campaignsOf) => `Todas las campañas ${campaignsOf} están en el CSV adjunto.`,
    cutCsv: (campaignsOf) =>
      `Las campañas ${campaignsOf} no caben en un correo: el CSV adjunto solo incluye las primeras. Para recibirlas todas, responda a este correo.`,
    glossary:
      'Conexión, en vivo y ocupado son porcentajes de los intentos, si constan ambos datos. Un guion significa que el servicio no da el dato.',
    typical: 'Lo normal es la media de ese día de la semana en las cuatro semanas anteriores.',
    why: (name) => `Este es el resumen «${name}». Para dejar de recibirlo, responda a este correo.`,
  },

  csv: {
    cut: 'El resto no cabe en el correo. Para recibir el archivo completo, responda al correo.',
  },
};
