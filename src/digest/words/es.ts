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
    attemptsNotReported: 'intentos sin datos del servicio',
    connectsNotReported: 'conexiones sin datos del servicio',
  },

  tiles: {
    connectRate: 'Tasa de conexión',
    attempts: 'Intentos',
    liveAnswers: 'Respuestas en vivo',
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
    some: (basis, accounts) => `Comparación con ${basis} en las cuentas con datos completos: ${accounts}.`,
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
  },

  notes: {
    corrected: (that) => `Corregido: este resumen sustituye al que se envió sobre ${that}.`,
    sameSums: 'Los totales son los mismos; han cambiado algunas campañas.',
    incomplete: (the) => `Incompleto: falta una parte ${the}.`,
    allMissing: (the) => `Incompleto: faltan todos los datos ${the}.`,
    provisional: 'Provisional: estas cifras todavía no están confirmadas.',
    provisionalFollows: 'Se enviará un resumen corregido si cambian.',
    notOver: 'el día aún no había terminado',
    daysLacking: (days) => `${days} sin cargar o sin terminar`,
    correctedFollows: 'Se enviará un resumen corregido en cuanto esté disponible lo que falta.',
    sameCampaigns: (accounts) =>
      `Posible recuento múltiple: ${accounts} tienen las mismas campañas con las mismas cifras.`,
    unreported: 'Datos que el servicio no indica y que no entran en totales ni tasas:',
    unreportedOf: (count, some, campaigns) => `${count} en ${some} de ${campaigns}`,
  },
  provisional: {
    announced: (campaigns, listed) => `el servicio anunció ${campaigns} y mostró ${listed}`,
    unreadable: 'algunos registros no se pudieron leer',
    error: (text) => `el servicio indicó un error: «${text}»`,
    unreported: (counts) => `la mayoría de las campañas no indica ${counts}`,
    noCalls: 'sin llamadas en un día de la semana que suele tenerlas',
  },
  empty: {
    noCampaigns: (that) => `Sin llamadas: el servicio no muestra campañas ${that}.`,
    noAttempts: 'Sin llamadas: ninguna campaña hizo intentos.',
    nothingLoaded: (that) => `Todavía no hay datos cargados de ${that}.`,
  },

  attention: {
    heading: 'Requiere atención',
    pointer: (titles) => `Requiere atención: ${titles}`,
    restated: 'Cambios desde el último resumen',
    sameSums: 'los mismos totales',
    now: (sums) => `ahora ${sums}`,
    held: 'Cambios retenidos',
    heldSince: (time) =>
      `desde el ${time} el servicio indica algo muy distinto. Las cifras anteriores siguen hasta que lo confirme.`,
    provisional: 'Cifras provisionales',
    newClients: 'Clientes nuevos',
    vanishedClients: 'Clientes que ya no aparecen',
    stillHeld: (days) => `Siguen retenidos: ${days}.`,
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
      'Conexión, en vivo y ocupado son por intento, donde constan ambos datos. Un guion: sin datos del servicio.',
    typical: 'Lo normal: la media de ese día de la semana en las cuatro semanas anteriores.',
    why: (name) => `Este es el resumen «${name}». Para dejar de recibirlo, responda a este correo.`,
  },

  csv: {
    cut: 'Lo demás no cabe en un correo: responda a él para recibir el archivo entero.',
  },
};
